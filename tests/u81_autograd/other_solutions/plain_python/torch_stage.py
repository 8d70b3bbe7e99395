"""Step by step, with the plainest means that each task allows."""

from itertools import pairwise

import torch
from torch import nn


def graph_nodes(outputs):
    if isinstance(outputs, torch.Tensor):
        outputs = [outputs]
    start = [t.grad_fn for t in outputs if t.grad_fn is not None]
    seen, order, todo = set(), [], [(node, None) for node in start]
    while todo:
        node, edges = todo.pop()
        if edges is None:
            if node in seen:
                continue
            seen.add(node)
            edges = [edge for edge, _ in node.next_functions if edge is not None]
        if edges:
            nxt = edges.pop()
            todo.append((node, edges))
            todo.append((nxt, None))
        else:
            order.append(node)
    depth, names, deepest = {}, {}, 0
    for node in order:
        depth[node] = 1
        for edge, _ in node.next_functions:
            if edge is not None:
                depth[node] = max(depth[node], 1 + depth[edge])
        deepest = max(deepest, depth[node])
        name = node.name().split("::")[-1]
        names[name] = names.get(name, 0) + 1
    return {
        "nodes": len(order),
        "leaves": names.get("AccumulateGrad", 0),
        "names": names,
        "depth": deepest,
    }


class _Watch(torch.autograd.graph.saved_tensors_hooks):
    def __init__(self, params, inputs):
        self.params = [p.untyped_storage() for p in params]
        self.inputs = [i.untyped_storage() for i in inputs]
        self.storages, self.records = [], []
        super().__init__(self.on_save, _on_use)

    def on_save(self, tensor):
        storage = tensor.untyped_storage()

        def same(other):
            return other._cdata == storage._cdata

        kind = "activation"
        if any(map(same, self.inputs)):
            kind = "input"
        if any(map(same, self.params)):
            kind = "parameter"
        place = next((i for i, other in enumerate(self.storages) if same(other)), None)
        if place is None:
            place = len(self.storages)
            self.storages.append(storage)
        record = {"kind": kind, "storage": 1000 + place, "storage_bytes": storage.nbytes()}
        record["shape"] = list(tensor.shape)
        record["dtype"] = str(tensor.dtype)[len("torch.") :]
        record["bytes"] = tensor.element_size() * tensor.numel()
        self.records.append(record)
        alias = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        alias.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
        return alias, tensor.detach(), tensor._version


def _on_use(packed):
    alias, tensor, version = packed
    if tensor._version != version:
        raise RuntimeError("a saved tensor was edited in place")
    return alias


def saved_report(fn, params=(), inputs=()):
    watch = _Watch(list(params), list(inputs))
    try:
        with watch:
            output = fn()
    finally:
        watch.storages = []
    total = {"parameter": 0, "input": 0, "activation": 0}
    seen = []
    for record in watch.records:
        if record["storage"] not in seen:
            seen.append(record["storage"])
            total[record["kind"]] += record["storage_bytes"]
    watch.params = watch.inputs = []
    return output, {"records": watch.records, "packs": len(watch.records), "bytes": total}


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    count = len(widths) - 1
    if count < 1 or any(w < 1 for w in widths) or batch < 0 or itemsize < 1:
        raise ValueError("sizes")
    for layer in frozen:
        if layer < 0 or layer >= count:
            raise ValueError("no such layer")
    if activation not in ["relu", "gelu"]:
        raise ValueError("activation")
    needs = bool(input_grad)
    answer = {"input": 0, "hidden": [], "total": 0}
    for layer in range(count):
        size = widths[layer] * batch * itemsize
        trained = layer not in frozen
        if layer == 0:
            answer["input"] = size if trained else 0
        elif activation == "relu":
            answer["hidden"].append(size if needs or trained else 0)
        else:
            answer["hidden"].append((size if needs else 0) + (size if trained else 0))
        needs = needs or trained
    answer["total"] = answer["input"] + sum(answer["hidden"])
    return answer


def diagnose_backward(fn):
    nothing = {"node": None, "expected": None, "found": None}
    try:
        fn()
    except RuntimeError as error:
        words = str(error).replace(",", " ").replace(";", " ").split()
        text = " ".join(words)
        if "Trying to backward through the graph a second time" in text:
            return {"kind": "freed", **nothing}
        if "modified by an inplace operation" in text:
            numbers = [int(b) for a, b in pairwise(words) if a == "version"]
            node = words[words.index("output") + 3] if "output" in words else None
            return {"kind": "version", "node": node, "expected": numbers[1], "found": numbers[0]}
        if "inference tensor" in text.lower():
            return {"kind": "inference", **nothing}
        if "does not require grad and does not have a grad_fn" in text:
            return {"kind": "no_graph", **nothing}
        raise
    return {"kind": "ok", **nothing}


def update_guard(step, weights, steps=3):
    names = []
    for name in weights:
        if weights[name].requires_grad:
            names.append(name)
    if steps < 1 or not names:
        raise ValueError("nothing to look at")
    depths, grad_depths = [], []
    for _ in range(steps):
        step(weights)
        mine = [weights[name] for name in names]
        depths.append(graph_nodes(mine)["depth"])
        stored = [w.grad for w in mine if w.is_leaf]
        grad_depths.append(graph_nodes([g for g in stored if g is not None])["depth"])
        if any(not w.requires_grad for w in mine):
            word = "detached"
            break
    else:
        word = "ok"
    if max(grad_depths) > 0:
        word = "stored_graph"
    if max(depths) > 0:
        word = "history"
    return {"depths": depths, "grad_depths": grad_depths, "verdict": word}


def penalty_step(weights, loss_fn, strength, lr):
    names = [name for name in weights if weights[name].requires_grad]
    leaves = [weights[name] for name in names]
    loss = loss_fn(weights)
    first = torch.autograd.grad(loss, leaves, create_graph=True, materialize_grads=True)
    penalty = loss.sum() * 0
    for g in first:
        penalty = penalty + (g**2).sum()
    step = torch.autograd.grad((loss + strength * penalty).sum(), leaves, materialize_grads=True)
    for leaf, g in zip(leaves, step, strict=True):
        leaf.data.add_(g, alpha=-lr)
    return loss.detach().sum(), penalty.detach()


def closed_book(widths, batch):
    model = nn.Sequential()
    for number in range(len(widths) - 1):
        if number:
            model.append(nn.ReLU())
        model.append(nn.Linear(widths[number], widths[number + 1]))
    x = torch.ones(batch, widths[0])
    output, report = saved_report(lambda: model(x), list(model.parameters()), [x])
    loss = torch.sum(output)
    nodes = graph_nodes(loss)["nodes"]
    loss.backward()
    predicted, best, name = 0, -1, ""
    for number, width in enumerate(widths[:-1]):
        predicted += width * batch * 4
        if width > best:
            best, name = width, "hidden_" + str(number)
    name = "input" if name == "hidden_0" else name
    return {
        "predicted": predicted,
        "measured": report["bytes"]["input"] + report["bytes"]["activation"],
        "packs": report["packs"],
        "nodes": nodes,
        "sentence": "Most of the saved bytes are those of " + name + ".",
    }
