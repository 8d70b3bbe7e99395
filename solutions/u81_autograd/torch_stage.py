"""Unit 8.1, PyTorch stage: look at graphs and saved tensors, predict them, repair what goes wrong.

Letters in shapes: B batch. Units are in brackets. Everything runs on a CPU and, unchanged, on CUDA.
Wherever a function looks at something, the thing afterwards is as if nobody had looked: results and
gradients are the same bits, nothing is kept alive, hooks and modes are off again, also when a
function that was handed in raises.

*weights* here is a dict from a name to a tensor, as a training loop without a module would have it;
no tensor stands under two names. A *step* is a function that takes such a dict and updates it: the
tensors in place, or by putting new ones into the dict.
"""

import re
from itertools import pairwise

import torch
from torch import nn


def graph_nodes(outputs):
    """Return what a graph consists of, each node once.

    A tensor's ``grad_fn`` is the node that made it, and ``node.next_functions`` leads to the nodes
    that made its inputs, as pairs of which the first is a node or None. A node that is reached in
    two ways is one node. A leaf that needs a gradient is at the end of the graph as a node named
    AccumulateGrad; a tensor that is used twice has one.

    Graphs may have 20 000 nodes in a row and more paths than can be walked: do not recurse, and
    visit each node once.

    Args:
        outputs: A tensor, or a tuple or list of tensors whose graphs are taken together; one may
            lie inside the graph of another, or occur twice. A tensor without ``grad_fn`` has no
            graph and adds nothing, a leaf included.

    Returns:
        A dict with

        - ``"nodes"``: number of nodes, leaves included;
        - ``"leaves"``: number of AccumulateGrad nodes;
        - ``"names"``: ``{name: count}``, where a name is what follows the last ``::`` in
          ``node.name()``, such as ``AddmmBackward0`` or ``AccumulateGrad``;
        - ``"depth"``: nodes on the longest way from an output to an end of the graph, both
          included; 0 without a graph.
    """
    # region 8.1.f
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    depth = {}
    stack = [(tensor.grad_fn, False) for tensor in tensors if tensor.grad_fn is not None]
    while stack:
        node, done = stack.pop()
        sources = [source for source, _ in node.next_functions if source is not None]
        if done:
            depth[node] = 1 + max((depth[source] for source in sources), default=0)
        elif node not in depth:
            stack.append((node, True))
            stack += [(source, False) for source in sources if source not in depth]
    names = {}
    for node in depth:
        name = node.name().rpartition("::")[2]
        names[name] = names.get(name, 0) + 1
    return {
        "nodes": len(depth),
        "leaves": names.get("AccumulateGrad", 0),
        "names": names,
        "depth": max(depth.values(), default=0),
    }
    # endregion


def saved_report(fn, params=(), inputs=()):
    """Run `fn` once and report every tensor that autograd saved meanwhile.

    `torch.autograd.graph.saved_tensors_hooks(pack, unpack)` calls ``pack`` for each tensor that a
    node saves, and ``unpack`` when the backward asks for it. What ``pack`` is handed need not be
    the object you know: `nn.Linear` saves a view of its weight. So a tensor's kind and its cost are
    questions about its *storage*. A storage counts whole and once, however small the views on it.
    Two storages are two even if one died while `fn` ran and the other got its address, or if
    both are empty.

    Watching must not change anything, nor cost memory: hand back no copies. Three things go wrong
    easily: a list of the saved tensors keeps them alive after the graph is gone; a ``pack`` that
    returns the very tensor it was given lets an output own its own graph, a ring that no reference
    count frees; and with hooks PyTorch no longer notices that a saved tensor was edited in place.
    So compare ``tensor._version`` at unpacking with that at packing, and raise RuntimeError if they
    differ.

    Args:
        fn: A function without arguments.
        params: Tensors that count as parameters, any iterable.
        inputs: Tensors that count as inputs, any iterable.

    Returns:
        ``(output, report)``. Output is what `fn` returned, with its graph; the backward runs as
        without hooks, a second time (``retain_graph``) and for second derivatives, too. The report
        is plain data:

        - ``"records"``: for each save, in order, a dict with ``"shape"`` (list of int), ``"dtype"``
          (text such as ``"float32"``), ``"bytes"`` (of this view, elements times their size [B]),
          ``"storage"`` (an int that is the same for two records if and only if they lie on one
          storage), ``"storage_bytes"`` (of the whole storage [B]) and ``"kind"``: ``"parameter"``
          if a tensor of `params` lies on the same storage, else ``"input"`` if one of `inputs`
          does, else ``"activation"``;
        - ``"packs"``: number of records;
        - ``"bytes"``: ``{"parameter": B, "input": B, "activation": B}``, each storage once.
    """
    # region 8.1.g
    kinds = {_storage_key(tensor): "input" for tensor in inputs}
    kinds |= {_storage_key(tensor): "parameter" for tensor in params}
    storages, records = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        key = _storage_key(tensor)
        number, _ = storages.setdefault(key, (len(storages), storage))
        records.append(
            {
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "bytes": tensor.numel() * tensor.element_size(),
                "storage": number,
                "storage_bytes": storage.nbytes(),
                "kind": kinds.get(key, "activation"),
            }
        )
        return tensor.detach(), tensor._version

    def unpack(packed):
        tensor, version = packed
        if tensor._version != version:
            raise RuntimeError(
                "a saved tensor was modified by an inplace operation: it is at version "
                f"{tensor._version}; expected version {version}"
            )
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        output = fn()
    storages.clear()  # pack refers to it, and the graph to pack
    sizes = {record["storage"]: (record["kind"], record["storage_bytes"]) for record in records}
    total = dict.fromkeys(("parameter", "input", "activation"), 0)
    for kind, size in sizes.values():
        total[kind] += size
    return output, {"records": list(records), "packs": len(records), "bytes": total}
    # endregion


# region hidden
def _storage_key(tensor):
    """Return what is the same for all tensors on one storage, as long as it lives."""
    return tensor.untyped_storage()._cdata


# endregion


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    """Return what the forward of an mlp saves beside its parameters, without running anything.

    The mlp is Linear, activation, Linear, ..., Linear: ``widths[i]`` to ``widths[i + 1]`` is layer
    i, counted from 0, and no activation follows the last. Its output is not part of the answer,
    nor is a loss. Count each storage once.

    - A Linear saves its input if its weight needs a gradient (and its weight, a parameter, if its
      input needs one).
    - ReLU saves its output, GELU its input, if the gradient of its input is needed. It is if any
      layer before is trained, or the input of the mlp needs a gradient.
    - The output of an activation is the input of the next Linear: one storage.

    Args:
        widths: At least two sizes, each at least 1.
        batch: Examples, at least 0.
        frozen: Layers whose weight and bias need no gradient; in any order.
        input_grad: Whether the input of the mlp needs a gradient.
        activation: ``"relu"`` or ``"gelu"``.
        itemsize: Bytes of an element [B]: 4 for float32, 2 for float16 and bfloat16.

    Returns:
        ``{"input": B, "hidden": [B, ...], "total": B}``: the input; for each activation, first to
        last, what of its input and output is saved; and their sum.

    Raises:
        ValueError: If there are fewer than two widths, a size is out of range, a frozen layer does
            not exist, `activation` is another word, or `itemsize` is below 1.
    """
    # region 8.1.h
    layers = len(widths) - 1
    if layers < 1 or min(widths) < 1 or batch < 0 or itemsize < 1:
        raise ValueError(f"widths {widths}, batch {batch}, itemsize {itemsize}")
    if activation not in ("relu", "gelu"):
        raise ValueError(f"activation {activation!r}")
    if any(not 0 <= layer < layers for layer in frozen):
        raise ValueError(f"frozen layers {list(frozen)} of {layers}")
    trained = [layer not in set(frozen) for layer in range(layers)]
    hidden = []
    for layer in range(1, layers):
        reached = input_grad or any(trained[:layer])
        if activation == "relu":
            tensors = int(reached or trained[layer])
        else:
            tensors = int(reached) + int(trained[layer])
        hidden.append(tensors * batch * widths[layer] * itemsize)
    first = batch * widths[0] * itemsize * int(trained[0])
    return {"input": first, "hidden": hidden, "total": first + sum(hidden)}
    # endregion


def diagnose_backward(fn):
    """Run `fn` once and say which of autograd's four refusals it met, with the evidence.

    The errors are RuntimeErrors; their text says which refusal it is:

    - ``"freed"``: a graph was gone through a second time, and what it had saved is gone;
    - ``"version"``: a tensor that was saved has been edited in place since;
    - ``"inference"``: a tensor made in inference mode was asked to take part in autograd, or edited
      in place outside that mode;
    - ``"no_graph"``: the tensor to start from needs no gradient and has no ``grad_fn``.

    Args:
        fn: A function without arguments that runs a forward and a backward.

    Returns:
        ``{"kind", "node", "expected", "found"}``: one of the four words, or ``"ok"`` if nothing was
        raised; and for ``"version"`` what the message says: the version at saving and the one found
        (int), and the name of the operation that made the tensor (text such as ``"Exp"``,
        whichever of its outputs the tensor is; None for a leaf, which nothing has made). All three
        are None for the other kinds.

    Raises:
        Exception: Whatever `fn` raises besides these, as it is; so is an error of another type that
            only sounds like one of them.
    """
    # region 8.1.i
    answer = {"kind": "ok", "node": None, "expected": None, "found": None}
    try:
        fn()
    except RuntimeError as error:
        text = str(error)
        for kind, words in REFUSALS.items():
            if re.search(words, text):
                answer["kind"] = kind
                break
        else:
            raise
        if numbers := re.search(r"at version (\d+); expected version (\d+)", text):
            found, expected = numbers.groups()
            node = re.search(r"output \d+ of (\w+)", text)
            answer |= {"expected": int(expected), "found": int(found)}
            answer["node"] = node.group(1) if node else None
    return answer
    # endregion


# region hidden
REFUSALS = {
    "freed": r"backward through the graph a second time",
    "version": r"modified by an inplace operation",
    "inference": r"(?i)inference tensor",
    "no_graph": r"does not require grad and does not have a grad_fn",
}
# endregion


def update_guard(step, weights, steps=3):
    """Run a step a few times and say whether its updates leave a graph behind.

    After a sound step each weight is a leaf that needs its gradient, as before, and neither it nor
    the gradient stored on it has a graph. What is left behind otherwise grows with every step, or
    is never freed, long before anything looks wrong in the losses. It can be read off the graphs;
    no memory has to be measured.

    Looks at the weights that needed a gradient before the first step, under their names, after each
    step. Do not read ``.grad`` of a weight that is no leaf; PyTorch warns about that, and such a
    gradient counts as having no graph.

    Args:
        step: A step, called as ``step(weights)``.
        weights: The weights; this very dict is handed to the step.
        steps: How often, at least 1.

    Returns:
        A dict with

        - ``"depths"``: after each step the largest depth, as `graph_nodes` has it, of a weight;
        - ``"grad_depths"``: the same of the gradients stored in ``.grad``;
        - ``"verdict"``: ``"history"`` if any of the depths is above 0; else ``"stored_graph"`` if
          any of the gradients' depths is; else ``"detached"`` if a weight no longer needs a
          gradient; else ``"ok"``. After a step that detached a weight no further one is run, since
          it could not work.

    Raises:
        ValueError: If `steps` is below 1 or no weight needs a gradient.
    """
    # region 8.1.j
    names = [name for name, weight in weights.items() if weight.requires_grad]
    if steps < 1 or not names:
        raise ValueError(f"{steps} steps, {len(names)} weights that need a gradient")
    depths, grad_depths, detached = [], [], False
    while len(depths) < steps and not detached:
        step(weights)
        now = [weights[name] for name in names]
        grads = [w.grad for w in now if w.is_leaf and w.grad is not None]
        depths.append(max(graph_nodes(weight)["depth"] for weight in now))
        grad_depths.append(max((graph_nodes(grad)["depth"] for grad in grads), default=0))
        detached = not all(weight.requires_grad for weight in now)
    verdict = "ok"
    if any(depths):
        verdict = "history"
    elif any(grad_depths):
        verdict = "stored_graph"
    elif detached:
        verdict = "detached"
    return {"depths": depths, "grad_depths": grad_depths, "verdict": verdict}
    # endregion


def penalty_step(weights, loss_fn, strength, lr):
    """Run one gradient step on a loss plus a penalty on its gradient, and leave no graph behind.

    With ``L = loss_fn(weights)`` and ``R`` the sum of the squared entries of all gradients of L,
    each weight w that needs a gradient becomes ``w - lr * d(L + strength * R)/dw``. R is made of
    gradients, so they need a graph of their own (``create_graph=True``); but a gradient that is
    *stored* with its graph owns the weight it is stored on, and an update that is itself recorded
    makes each weight the head of a growing chain.

    Afterwards every such weight is a leaf that needs its gradient, with no graph; its ``.grad`` is
    what it was before; nothing else refers to it, so that it dies with its dict. A weight that
    needs no gradient, or on which the loss does not depend, keeps its value.

    Args:
        weights: The weights; updated in place, or replaced in this dict.
        loss_fn: Takes `weights` and returns a tensor of one element.
        strength: Factor of the penalty.
        lr: Length of the step.

    Returns:
        ``(L, R)`` before the step, detached tensors of one element.
    """
    # region 8.1.k
    trained = [weight for weight in weights.values() if weight.requires_grad]
    loss = loss_fn(weights)
    firsts = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
    penalty = sum((g.square().sum() for g in firsts if g is not None), torch.zeros_like(loss))
    total = loss + strength * penalty
    gradients = torch.autograd.grad(total, trained, allow_unused=True)
    with torch.no_grad():
        for weight, gradient in zip(trained, gradients, strict=True):
            if gradient is not None:
                weight.sub_(lr * gradient)
    return loss.detach(), penalty.detach()
    # endregion


def closed_book(widths, batch):
    """Predict and measure what the forward of a small mlp saves. Write this without notes.

    Build Linear, ReLU, Linear, ..., Linear with the given widths (biases, float32, every parameter
    trained) and an input of random data that needs no gradient. Say what the forward and the sum of
    its output, as the loss, save; then run it under hooks and look; then run the backward.

    Args:
        widths: At least two sizes.
        batch: Examples, at least 1.

    Returns:
        A dict with

        - ``"predicted"``: bytes of the saved storages, each once, parameters left out, from a
          formula in `widths` and `batch` [B];
        - ``"measured"``: the same, from hooks round one forward [B];
        - ``"packs"``: how often a tensor was saved in that forward, parameters included;
        - ``"nodes"``: nodes in the graph of the loss;
        - ``"sentence"``: one sentence that names the largest of the saved tensors that are no
          parameters, and no other: ``input``, ``hidden_1`` (the output of the first ReLU),
          ``hidden_2`` and so on; of equal ones the first.
    """
    # region 8.1.l
    layers = []
    for wide, out in pairwise(widths):
        layers += [nn.Linear(wide, out), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    x = torch.randn(batch, widths[0])
    loss, report = saved_report(lambda: model(x).sum(), model.parameters(), [x])
    nodes = graph_nodes(loss)["nodes"]
    loss.backward()
    sizes = {f"hidden_{place}": 4 * batch * w for place, w in enumerate(widths[:-1])}
    sizes = {"input" if name == "hidden_0" else name: size for name, size in sizes.items()}
    return {
        "predicted": sum(sizes.values()),
        "measured": report["bytes"]["input"] + report["bytes"]["activation"],
        "packs": report["packs"],
        "nodes": nodes,
        "sentence": f"The largest saved tensor is {max(sizes, key=sizes.get)}.",
    }
    # endregion
