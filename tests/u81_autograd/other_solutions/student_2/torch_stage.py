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
from collections import deque
from itertools import pairwise

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef


def graph_nodes(outputs):
    """Return what a graph consists of, each node once.

    A tensor's ``grad_fn`` is the node that made it, and ``node.next_functions`` leads to the nodes
    that made its inputs, as pairs of which the first is a node or None. A node that is reached in
    two ways is one node. A leaf that needs a gradient is at the end of the graph as a node named
    AccumulateGrad; a tensor that is used twice has one.

    Graphs may have 20 000 nodes in a row and more paths than can be walked: do not recurse, and
    visit each node once.

    Args:
        outputs: A tensor, or a tuple or list of tensors whose graphs are taken together. A tensor
            without ``grad_fn`` has no graph and adds nothing, a leaf included.

    Returns:
        A dict with

        - ``"nodes"``: number of nodes, leaves included;
        - ``"leaves"``: number of AccumulateGrad nodes;
        - ``"names"``: ``{name: count}``, where a name is what follows the last ``::`` in
          ``node.name()``, such as ``AddmmBackward0`` or ``AccumulateGrad``;
        - ``"depth"``: nodes on the longest way from an output to an end of the graph, both
          included; 0 without a graph.
    """
    if isinstance(outputs, torch.Tensor):
        outputs = [outputs]
    walk = GraphWalk(outputs)
    names = {}
    for node in walk.used_by:
        name = node.name().split("::")[-1]
        names[name] = names.get(name, 0) + 1
    return {
        "nodes": len(walk.used_by),
        "leaves": names.get("AccumulateGrad", 0),
        "names": names,
        "depth": walk.depth(),
    }


class GraphWalk:
    """All nodes below some tensors, each with the number of arrows that lead to it."""

    def __init__(self, outputs):
        # The keys hold the nodes, so that no address is used twice during the walk.
        self.used_by = {}
        queue = deque()
        for output in outputs:
            if output.grad_fn is not None and output.grad_fn not in self.used_by:
                self.used_by[output.grad_fn] = 0
                queue.append(output.grad_fn)
        while queue:
            for source in self.sources(queue.popleft()):
                if source not in self.used_by:
                    self.used_by[source] = 0
                    queue.append(source)
                self.used_by[source] += 1

    def sources(self, node):
        return [source for source, _ in node.next_functions if source is not None]

    def depth(self):
        """Peel the graph layer by layer; the number of layers is the longest way."""
        left = dict(self.used_by)
        layer = [node for node, count in left.items() if count == 0]
        layers = 0
        while layer:
            layers += 1
            following = []
            for node in layer:
                for source in self.sources(node):
                    left[source] -= 1
                    if left[source] == 0:
                        following.append(source)
            layer = following
        return layers


def saved_report(fn, params=(), inputs=()):
    """Run `fn` once and report every tensor that autograd saved meanwhile.

    `torch.autograd.graph.saved_tensors_hooks(pack, unpack)` calls ``pack`` for each tensor that a
    node saves, and ``unpack`` when the backward asks for it. What ``pack`` is handed need not be
    the object you know: `nn.Linear` saves a view of its weight. So a tensor's kind and its cost are
    questions about its *storage*. A storage counts whole and once, however small the views on it.
    Two storages are two even if one died while `fn` ran and the other got its address.

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
    register = StorageRegister()
    params, inputs = list(params), list(inputs)
    parameter_storages = {register.number(tensor) for tensor in params}
    input_storages = {register.number(tensor) for tensor in inputs}
    records = []

    def pack(tensor):
        number = register.number(tensor)
        kind = "activation"
        if number in parameter_storages:
            kind = "parameter"
        elif number in input_storages:
            kind = "input"
        records.append(
            {
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "bytes": tensor.numel() * tensor.element_size(),
                "storage": number,
                "storage_bytes": tensor.untyped_storage().nbytes(),
                "kind": kind,
            }
        )
        return Kept(tensor)

    with torch.autograd.graph.saved_tensors_hooks(pack, Kept.open):
        output = fn()
    sizes = {"parameter": {}, "input": {}, "activation": {}}
    for record in records:
        sizes[record["kind"]][record["storage"]] = record["storage_bytes"]
    report = {
        "records": records,
        "packs": len(records),
        "bytes": {kind: sum(storages.values()) for kind, storages in sizes.items()},
    }
    return output, report


class StorageRegister:
    """Gives each storage a number of its own.

    A weak reference does not keep the memory, but the storage's small header, so that no other
    storage gets its address as long as the register lives.
    """

    def __init__(self):
        self.numbers = {}

    def number(self, tensor):
        reference = StorageWeakRef(tensor.untyped_storage())
        return self.numbers.setdefault(reference, len(self.numbers))


class Kept:
    """What the graph keeps in place of a saved tensor: the same storage, and the version."""

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        self.version = self.tensor._version

    def open(self):
        if self.tensor._version != self.version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: a saved tensor is at version {self.tensor._version}; "
                f"expected version {self.version} instead"
            )
        return self.tensor


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
    widths = [int(width) for width in widths]
    layers = len(widths) - 1
    frozen = {int(layer) for layer in frozen}
    if layers < 1 or min(widths) < 1 or batch < 0 or itemsize < 1:
        raise ValueError("two widths of at least 1, a batch of at least 0, an itemsize of at least 1")
    if not frozen <= set(range(layers)):
        raise ValueError("a frozen layer does not exist")
    if activation not in ("relu", "gelu"):
        raise ValueError(f"no activation {activation!r}")
    one = int(batch) * int(itemsize)
    input_bytes = 0 if 0 in frozen else one * widths[0]
    hidden = []
    flows = bool(input_grad)  # whether a gradient is needed here
    for layer in range(layers - 1):
        flows = flows or layer not in frozen
        kept = set()
        if flows:
            kept.add("output" if activation == "relu" else "input")
        if layer + 1 not in frozen:
            kept.add("output")
        hidden.append(one * widths[layer + 1] * len(kept))
    return {"input": input_bytes, "hidden": hidden, "total": input_bytes + sum(hidden)}


def diagnose_backward(fn):
    """Run `fn` once and say which of autograd's four refusals it met, with the evidence.

    The errors are RuntimeErrors; their text says which refusal it is:

    - ``"freed"``: a graph was gone through a second time, and what it had saved is gone;
    - ``"version"``: a tensor that was saved has been edited in place since;
    - ``"inference"``: a tensor made in inference mode was asked to take part in autograd;
    - ``"no_graph"``: the tensor to start from needs no gradient and has no ``grad_fn``.

    Args:
        fn: A function without arguments that runs a forward and a backward.

    Returns:
        ``{"kind", "node", "expected", "found"}``: one of the four words, or ``"ok"`` if nothing was
        raised; and for ``"version"`` what the message says: the version at saving and the one found
        (int), and the name of the operation that made the tensor (text such as ``"Exp"``, None for
        a leaf, which nothing has made). All three are None for the other kinds.

    Raises:
        Exception: Whatever `fn` raises besides these, as it is; so is an error of another type that
            only sounds like one of them.
    """
    result = {"kind": "ok", "node": None, "expected": None, "found": None}
    try:
        fn()
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        text = str(error)
        result["kind"] = kind_of_refusal(text)
        if result["kind"] is None:
            raise
        if result["kind"] == "version":
            versions = re.search(r"is at version (\d+); expected version (\d+)", text)
            result["found"] = int(versions.group(1))
            result["expected"] = int(versions.group(2))
            maker = re.search(r"which is output \d+ of ([\w:]+)", text)
            if maker:
                name = maker.group(1).split("::")[-1]
                result["node"] = re.sub(r"Backward\d*$", "", name)
    return result


def kind_of_refusal(text):
    """Return which refusal a message is, None for another error."""
    if "Trying to backward through the graph a second time" in text:
        return "freed"
    if "modified by an inplace operation" in text and re.search(
        r"is at version \d+; expected version \d+", text
    ):
        return "version"
    if re.search(
        r"Inference tensors cannot be saved for backward"
        r"|Inplace update to inference tensor outside InferenceMode"
        r"|Setting requires_grad=True on inference tensor outside InferenceMode",
        text,
    ):
        return "inference"
    if "does not require grad and does not have a grad_fn" in text:
        return "no_graph"
    return None


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
    watched = [name for name, weight in weights.items() if weight.requires_grad]
    if steps < 1 or not watched:
        raise ValueError("at least one step and one weight that needs a gradient")
    depths, grad_depths = [], []
    detached = False
    for _ in range(int(steps)):
        step(weights)
        depth = grad_depth = 0
        for name in watched:
            weight = weights[name]
            depth = max(depth, graph_nodes(weight)["depth"])
            if weight.is_leaf and weight.grad is not None:
                grad_depth = max(grad_depth, graph_nodes(weight.grad)["depth"])
            if not weight.requires_grad:
                detached = True
        depths.append(depth)
        grad_depths.append(grad_depth)
        if detached:
            break
    if max(depths) > 0:
        verdict = "history"
    elif max(grad_depths) > 0:
        verdict = "stored_graph"
    elif detached:
        verdict = "detached"
    else:
        verdict = "ok"
    return {"depths": depths, "grad_depths": grad_depths, "verdict": verdict}


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
    names = [name for name, weight in weights.items() if weight.requires_grad]
    trained = [weights[name] for name in names]
    with torch.enable_grad():
        loss = loss_fn(weights)
        penalty = torch.zeros((), dtype=loss.dtype, device=loss.device)
        updates = [None] * len(trained)
        if loss.requires_grad and trained:
            gradients = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
            for gradient in gradients:
                if gradient is not None:
                    penalty = penalty + (gradient * gradient).sum()
            total = loss.sum() + strength * penalty
            updates = torch.autograd.grad(total, trained, allow_unused=True)
    loss, penalty = loss.detach().clone(), penalty.detach()
    with torch.no_grad():
        for name, weight, update in zip(names, trained, updates, strict=True):
            if not weight.is_leaf:
                weight = weight.detach().clone().requires_grad_()
                weights[name] = weight
            if update is not None:
                weight.sub_(lr * update)
    return loss, penalty


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
    sizes = {"input": widths[0]}
    for number, width in enumerate(widths[1:-1], start=1):
        sizes[f"hidden_{number}"] = width
    predicted = 4 * batch * sum(sizes.values())
    largest = max(sizes, key=sizes.get)  # of equal ones the first

    with torch.random.fork_rng(devices=[]):
        layers = []
        for fan_in, fan_out in pairwise(widths):
            layers.append(nn.Linear(fan_in, fan_out, dtype=torch.float32))
            layers.append(nn.ReLU())
        model = nn.Sequential(*layers[:-1])
        x = torch.randn(batch, widths[0], dtype=torch.float32)
    loss, report = saved_report(lambda: model(x).sum(), model.parameters(), [x])
    nodes = graph_nodes(loss)["nodes"]
    loss.backward()
    return {
        "predicted": predicted,
        "measured": report["bytes"]["input"] + report["bytes"]["activation"],
        "packs": report["packs"],
        "nodes": nodes,
        "sentence": f"Of all that is saved beside the parameters, {largest} is the largest.",
    }
