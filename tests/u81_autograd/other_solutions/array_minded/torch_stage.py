"""Breadth first, relaxations and weak references where the solution has stacks and dicts."""

import re
import weakref
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


def graph_nodes(outputs):
    roots = {t.grad_fn for t in ((outputs,) if torch.is_tensor(outputs) else outputs)} - {None}
    users, queue, seen = Counter(), list(roots), set(roots)
    while queue:
        node = queue.pop(0) if len(queue) < 50 else queue.pop()
        for source in (edge[0] for edge in node.next_functions):
            if source is None:
                continue
            users[source] += 1
            if source not in seen:
                seen.add(source)
                queue.append(source)
    level = dict.fromkeys(seen, 1)
    ready = [node for node in seen if not users[node]]
    while ready:
        node = ready.pop()
        for source, _ in node.next_functions:
            if source is None:
                continue
            level[source] = max(level[source], level[node] + 1)
            users[source] -= 1
            if users[source] == 0:
                ready.append(source)
    names = Counter(re.sub(r"^.*::", "", node.name()) for node in seen)
    answer = {
        "names": dict(names),
        "leaves": sum(hasattr(node, "variable") for node in seen),
        "nodes": len(seen),
        "depth": max(level.values()) if level else 0,
    }
    del level, seen, users, roots
    return answer


def saved_report(fn, params=(), inputs=()):
    def pointer(tensor):
        return tensor.untyped_storage()._cdata

    sets = {"parameter": {pointer(p) for p in params}, "input": {pointer(i) for i in inputs}}
    records, alive = [], {}

    def pack(tensor):
        tensor = tensor.detach()
        key = pointer(tensor)
        storage = tensor.untyped_storage()
        known = alive.get(key)
        if known is None or known[0]() is None:
            # a weak reference tells that the address belongs to another storage now
            number = len({r["storage"] for r in records})
            alive[key] = known = (weakref.ref(storage), number, storage.nbytes())
        kind = next((k for k, keys in sets.items() if key in keys), "activation")
        records.append(
            {
                "shape": [int(n) for n in tensor.shape],
                "dtype": str(tensor.dtype).split(".")[-1],
                "bytes": tensor.nbytes,
                "storage": known[1],
                "storage_bytes": known[2],
                "kind": kind,
            }
        )
        # the storage object must live as long as the storage for the weak reference to tell
        return [tensor, tensor._version, storage]

    def unpack(packed):
        tensor, version, _ = packed
        if tensor._version > version:
            raise RuntimeError("edited in place")
        return tensor

    with ExitStack() as stack:
        stack.enter_context(saved_tensors_hooks(pack, unpack))
        output = fn()
    counted = {}
    for record in records:
        counted[record["storage"]] = record
    total = Counter(parameter=0, input=0, activation=0)
    for record in counted.values():
        total[record["kind"]] += record["storage_bytes"]
    return [output, {"records": [*records], "packs": len(records), "bytes": dict(total)}]


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    n = torch.as_tensor(list(widths), dtype=torch.int64)
    layers = len(n) - 1
    bad = [f for f in frozen if f not in range(layers)]
    if layers < 1 or (n < 1).any() or batch < 0 or bad or itemsize < 1:
        raise ValueError("sizes")
    if activation not in {"relu", "gelu"}:
        raise ValueError(activation)
    trained = torch.ones(layers, dtype=torch.int64)
    trained[list(frozen)] = 0
    reached = torch.cat([torch.tensor([int(input_grad)]), trained]).cumsum(0).clamp(max=1)[1:-1]
    after = trained[1:]
    copies = torch.maximum(reached, after) if activation == "relu" else reached + after
    unit = n[:-1] * batch * itemsize
    hidden = copies * unit[1:]
    first = trained[0] * unit[0]
    return {"total": first + hidden.sum(), "input": first, "hidden": hidden.tolist()}


def diagnose_backward(fn):
    kind, node, expected, found = "ok", None, None, None
    try:
        fn()
    except RuntimeError as error:
        text = str(error)
        if "second time" in text and "graph" in text:
            kind = "freed"
        elif "an inplace operation" in text:
            kind = "version"
            head, _, tail = text.partition("is at version ")
            found, expected = (int(word) for word in re.findall(r"\d+", tail)[:2])
            if "of " in head.partition("output ")[2]:
                node = head.partition("output ")[2].split()[2].strip(",")
        elif "nference tensor" in text:
            kind = "inference"
        elif "element 0 of tensors does not require grad" in text:
            kind = "no_graph"
        else:
            raise
    return {"kind": kind, "node": node, "expected": expected, "found": found}


def update_guard(step, weights, steps=3):
    watched = [key for key in weights if weights[key].requires_grad]
    if steps < 1 or not watched:
        raise ValueError("nothing to guard")
    table = []
    for _ in range(steps):
        step(weights)
        row = [0, 0, False]
        for key in watched:
            weight = weights[key]
            row[0] = max(row[0], graph_nodes(weight)["depth"])
            if weight.is_leaf and weight.grad is not None:
                row[1] = max(row[1], graph_nodes([weight.grad])["depth"])
            row[2] |= not weight.requires_grad
        table.append(row)
        if row[2]:
            break
    depths, grads, lost = map(list, zip(*table, strict=True))
    found = zip(("history", "stored_graph", "detached"), (depths, grads, lost), strict=True)
    verdict = next((word for word, column in found if any(column)), "ok")
    return {"verdict": verdict, "depths": tuple(depths), "grad_depths": tuple(grads)}


def penalty_step(weights, loss_fn, strength, lr):
    """Store the gradients with their graph, as backward does, and cut the rings afterwards."""
    leaves = {name: w for name, w in weights.items() if w.requires_grad}
    before = {name: w.grad for name, w in leaves.items()}
    for w in leaves.values():
        w.grad = None
    loss = loss_fn(weights)
    loss.backward(create_graph=True)
    firsts = {name: w.grad for name, w in leaves.items()}
    for w in leaves.values():
        w.grad = None
    penalty = torch.zeros((), dtype=loss.dtype)
    for g in firsts.values():
        if g is not None:
            penalty = penalty + (g * g).sum()
    (loss + strength * penalty).sum().backward()
    for name, w in leaves.items():
        if w.grad is not None:
            weights[name] = (w.detach() - lr * w.grad.detach()).requires_grad_()
        w.grad = None
        weights[name].grad = before[name]
    return loss.detach(), penalty.detach()


def closed_book(widths, batch):
    class Mlp(nn.Module):
        def __init__(self):
            super().__init__()
            pairs = pairwise(widths)
            self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairs)

        def forward(self, h):
            *front, last = self.layers
            for layer in front:
                h = layer(h).relu()
            return last(h)

    model, x, sizes, packs = Mlp(), torch.rand(batch, widths[0]), {}, []
    known = {p.untyped_storage().data_ptr() for p in model.parameters()}

    def pack(t):
        packs.append(1)
        if t.untyped_storage().data_ptr() not in known:
            sizes[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t.detach()

    with saved_tensors_hooks(pack, lambda t: t):
        loss = model(x).sum()
    nodes = graph_nodes([loss])["nodes"]
    loss.backward()
    kept = widths[:-1]
    largest = kept.index(max(kept))
    name = f"hidden_{largest}" if largest else "input"
    return {
        "predicted": 4.0 * batch * sum(kept),
        "measured": float(sum(sizes.values())),
        "packs": len(packs),
        "nodes": nodes,
        "sentence": f"Of all saved tensors, the {name} takes the most bytes.",
    }
