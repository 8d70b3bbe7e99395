"""Unit 8.5, PyTorch stage, another way: copies, early stops and library functions."""

import copy
import warnings

import torch
from torch.nn import functional


class _Found(Exception):  # noqa: N818
    pass


def _flat(value):
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in _flat(item)] if isinstance(value, list | tuple) else []


def _bad_place(tensor, allowed=False):
    bad = tensor.isnan() | tensor.isposinf()
    if not allowed:
        bad = bad | tensor.isneginf()
    flat = bad.reshape(-1)
    if not flat.any():
        return None
    index = tuple(int(i) for i in torch.unravel_index(flat.float().argmax(), tensor.shape))
    value = float(tensor[index])
    return index, {"nan": "nan", "inf": "+inf", "-inf": "-inf"}[str(value)]


def first_bad_forward(model, batch, allow=()):
    """Search a copy of the model, and stop it at the first find."""
    model = copy.deepcopy(model)
    counts = {}

    def watch(name, module):
        def before(_, args, kwargs):
            counts[name] = [counts.get(name, [0])[0] + 1, all(
                t.isfinite().all() for t in _flat([list(args), kwargs]))]  # fmt: skip

        def after(_, args, output):
            for number, tensor in enumerate(_flat(output)):
                place = _bad_place(tensor, name in allow)
                if place:
                    call, clean = counts[name]
                    raise _Found({
                        "module": name, "call": call - 1, "output": number, "index": place[0],
                        "kind": place[1], "born": bool(clean),
                    })  # fmt: skip

        module.register_forward_pre_hook(before, with_kwargs=True)
        module.register_forward_hook(after)

    for name, module in model.named_modules():
        if next(module.children(), None) is None:
            watch(name, module)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        try:
            if isinstance(batch, dict):
                model(**batch)
            elif isinstance(batch, tuple):
                model(*batch)
            else:
                model(batch)
        except _Found as found:
            return found.args[0]
    return None


def first_bad_backward(loss):
    """Note every node's gradients in order, and look at the notes afterwards."""
    if loss.grad_fn is None:
        raise ValueError("no graph")
    notes, seen, queue = [], set(), [loss.grad_fn]
    handles = []
    while queue:
        node = queue.pop(0)
        if node in seen:
            continue
        seen.add(node)
        queue += [n for n, _ in node.next_functions if n]

        def note(out, given, node=node):
            name = node.name()
            kept = [[None if g is None else g.clone() for g in side] for side in (given, out)]
            notes.append((name, kept))

        handles.append(node.register_hook(note))
    try:
        torch.autograd.backward([loss])
    finally:
        for handle in handles:
            handle.remove()
    names = [name for name, _ in notes]
    for number, (name, sides) in enumerate(notes):
        for side, gradients in zip(("in", "out"), sides, strict=True):
            for gradient in gradients:
                place = None if gradient is None else _bad_place(gradient)
                if place:
                    nth = names[:number].count(name)
                    return {"node": name, "nth": nth, "side": side, "kind": place[1]}
    return None


def replay_anomaly(fn, rng_state=None):
    """Fork the RNG and set the mode by hand."""
    was = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if rng_state is not None:
            torch.random.set_rng_state(rng_state)
        torch.set_anomaly_enabled(True, True)
        try:
            loss = fn()
            torch.autograd.backward(loss)
        except RuntimeError as error:
            text = str(error)
            if "loss" not in locals() or "returned nan values" not in text:
                raise
            return text.split("'")[1]
        finally:
            torch.set_anomaly_enabled(*was)
    return None


def nonfinite_counts(tensors):
    """Fetch an array once."""
    names = [name for name in tensors if tensors[name] is not None]
    if names:
        counts = [tensors[n].isfinite().logical_not().count_nonzero() for n in names]
        found = dict(zip(names, torch.stack(counts).cpu().numpy(), strict=True))
    else:
        found = {}
    return {name: found.get(name) for name in tensors}


def guarded_step(model, optimizer, loss, max_norm=1.0):
    """Clip a float64 copy with the library's function."""
    if not max_norm > 0:
        raise ValueError("max_norm must be positive")
    model.zero_grad(set_to_none=True)
    loss.backward()
    named = [(n, p) for n, p in model.named_parameters() if p.grad is not None]
    counts = nonfinite_counts({n: p.grad for n, p in named})
    wide = [p.grad.double() for _, p in named]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in wide]))
    bad = {n: c for n, c in counts.items() if c > 0}
    stepped = bool(torch.isfinite(loss)) and not bad
    if stepped:
        scale = (max_norm / norm).clamp(max=1.0)
        for (_, parameter), gradient in zip(named, wide, strict=True):
            parameter.grad = (gradient * scale).to(parameter.dtype)
        optimizer.step()
    model.zero_grad(set_to_none=True)
    return {"stepped": stepped, "loss": loss.item(), "norm": norm.item(), "bad": bad}


def where_safe(function, x, keep, safe, other):
    """Call the function on the kept entries alone, and scatter its results."""
    keep = keep.expand_as(x)
    base = torch.as_tensor(other, dtype=x.dtype).expand_as(x)
    return base.masked_scatter(keep, function(x[keep]))


def unit_rows(x, eps=1e-6):
    """Use the library's function in float64."""
    return functional.normalize(x.double(), dim=-1, eps=eps).to(x.dtype) if x.numel() else x * 1


def additive_mask(keeps, dtype):
    """Fold with logical_and."""
    if not len(keeps) or not all(k.dtype is torch.bool for k in keeps):
        raise ValueError("boolean masks")
    keep = torch.stack(torch.broadcast_tensors(*keeps)).all(0)
    fill = torch.tensor(torch.finfo(dtype).min / 2, dtype=dtype)
    return torch.where(keep, torch.zeros((), dtype=dtype), fill)


def assert_finite(function, inputs):
    """Let backward fill the gradient of a copy."""
    for number, given in enumerate(inputs):
        x = torch.tensor(given.detach().tolist(), dtype=given.dtype, requires_grad=True)
        y = function(x)
        assert _bad_place(y.detach()) is None, f"bad value for input {number}"
        if y.grad_fn is not None:
            y.backward(gradient=torch.ones_like(y))
            if x.grad is not None:
                assert _bad_place(x.grad) is None, f"bad gradient for input {number}"


def post_mortem(model, batch, loss_fn):
    """Work on a copy of the model."""
    x, y = batch
    model = copy.deepcopy(model)
    model.zero_grad()
    names = dict([*model.named_parameters(), *model.named_buffers()])
    spoiled = [name for name, t in names.items() if not t.isfinite().all()]
    numbers = dict.fromkeys(("input", "weights", "forward", "loss", "backward"), 0)
    numbers["input"] = int((~x.isfinite()).sum())
    numbers["weights"] = sum(int((~t.isfinite()).sum()) for t in names.values())
    first = []

    def look(name):
        def hook(module, args, output):
            count = int((~output.isfinite()).sum())
            if count:
                first.append(name)
            numbers["forward"] += count

        return hook

    for name, module in model.named_modules():
        if not list(module.children()):
            module.register_forward_hook(look(name))
    with torch.random.fork_rng(devices=[]):
        loss = loss_fn(model(x), y)
        numbers["loss"] = int(not loss.isfinite())
        node = first_bad_backward(loss)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    numbers["backward"] = sum(int((~g.isfinite()).sum()) for g in grads)
    rejected = []
    for suspect, number in numbers.items():
        if number:
            place = {
                "input": ["x"], "weights": spoiled, "forward": first, "loss": ["loss"],
                "backward": [node and node["node"]],
            }[suspect][0]  # fmt: skip
            return {"cause": suspect, "place": place, "rejected": rejected, "numbers": numbers}
        rejected = [*rejected, suspect]
    return {"cause": None, "place": "", "rejected": rejected, "numbers": numbers}
