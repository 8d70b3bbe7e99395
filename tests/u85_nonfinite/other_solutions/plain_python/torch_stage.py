"""Unit 8.5, PyTorch stage, another way: wrapped forwards, pre-hooks and Python's numbers."""

import itertools
import math
import re
import warnings
from contextlib import contextmanager

import torch


def _bad(tensor, allowed=()):
    """Return the first bad entry by going through the values as Python numbers."""
    values = tensor.detach().contiguous().flatten().tolist()
    for number, value in enumerate(values):
        if not math.isfinite(value) and value not in allowed:
            index = []
            for size in reversed(tensor.shape):
                number, rest = divmod(number, size)  # noqa: PLW2901
                index.insert(0, rest)
            return index, "nan" if math.isnan(value) else ("-inf" if value < 0 else "+inf")
    return None


def _walk(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(_walk(v) for v in value.values())
    elif isinstance(value, (list, tuple)):
        yield from itertools.chain.from_iterable(map(_walk, value))


@contextmanager
def _as_it_was(model):
    """Put state and RNG back."""
    rng = torch.random.get_rng_state()
    state = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    try:
        yield
    finally:
        torch.random.set_rng_state(rng)
        with torch.no_grad():
            for name, buffer in model.named_buffers():
                buffer.copy_(state[name])


def first_bad_forward(model, batch, allow=()):
    """Wrap the forward of each leaf for a while."""
    found, counts, wrapped = [], {}, []

    def wrap(name, module):
        plain = module.forward

        def forward(*args, **kwargs):
            clean = all(_bad(t) is None for t in _walk([args, kwargs]))
            counts[name] = counts.get(name, 0) + 1
            output = plain(*args, **kwargs)
            for number, tensor in enumerate(_walk(output)):
                place = _bad(tensor, (-math.inf,) if name in allow else ())
                if place is not None and not found:
                    found.append({
                        "module": name, "call": counts[name] - 1, "output": number,
                        "index": place[0], "kind": place[1], "born": clean,
                    })  # fmt: skip
            return output

        module.forward = forward
        wrapped.append(module)

    for name, module in model.named_modules():
        if len(list(module.children())) == 0:
            wrap(name, module)
    with _as_it_was(model), torch.no_grad():
        try:
            if isinstance(batch, dict):
                model(**batch)
            else:
                model(*(batch if isinstance(batch, tuple) else (batch,)))
        except Exception:
            if not found:
                raise
        finally:
            for module in wrapped:
                del module.forward
    return found[0] if found else None


def first_bad_backward(loss):
    """A pre-hook for what comes in, a hook for what goes out."""
    if loss.grad_fn is None:
        raise ValueError("nothing to go back through")
    found, counts, nodes, todo = [], {}, {loss.grad_fn}, [loss.grad_fn]
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None and child not in nodes:
                nodes.add(child)
                todo.append(child)

    def look(node, side, gradients):
        if found:
            return
        for gradient in gradients:
            if gradient is not None and not bool(gradient.isfinite().all()):
                found.append({
                    "node": node.name(), "nth": counts[node.name()], "side": side,
                    "kind": _bad(gradient)[1],
                })  # fmt: skip
                return

    handles = []
    for node in nodes:

        def after(out, given, node=node):
            look(node, "in", given)
            look(node, "out", out)
            counts[node.name()] += 1

        counts[node.name()] = 0
        handles.append(node.register_hook(after))
    try:
        loss.backward()
    finally:
        while handles:
            handles.pop().remove()
    return (found or [None])[0]


def replay_anomaly(fn, rng_state=None):
    """Keep the generator's state and the mode by hand."""
    generator = torch.default_generator
    kept = generator.get_state()
    mode = torch.autograd.set_detect_anomaly(True)
    try:
        if rng_state is not None:
            generator.set_state(rng_state)
        with mode, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = fn()
            try:
                loss.backward()
            except RuntimeError as error:
                hit = re.search(r"^Function '([^']+)' returned nan values", str(error))
                if not hit:
                    raise
                return hit.group(1)
    finally:
        generator.set_state(kept)
    return None


def nonfinite_counts(tensors):
    """Add each count into one place of one tensor."""
    places = [name for name, tensor in tensors.items() if tensor is not None]
    total = torch.zeros(len(places), dtype=torch.long)
    for place, name in enumerate(places):
        total[place] = torch.sum(~torch.isfinite(tensors[name]))
    numbers = iter(total.to("cpu").tolist()) if places else iter(())
    return {name: None if t is None else next(numbers) for name, t in tensors.items()}


def guarded_step(model, optimizer, loss, max_norm=1.0):
    """Look, decide, then act."""
    if math.isnan(max_norm) or max_norm <= 0:
        raise ValueError(f"max_norm {max_norm}")
    model.zero_grad()
    loss.backward()
    grads = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    bad = {n: c for n, c in nonfinite_counts(grads).items() if c}
    norm = math.hypot(*(v for g in grads.values() for v in g.double().flatten().tolist()))
    number = loss.item()
    good = math.isfinite(number) and len(bad) == 0
    if good and norm > max_norm:
        for gradient in grads.values():
            gradient.div_(norm).mul_(max_norm)
    if good:
        optimizer.step()
    model.zero_grad()
    return {"stepped": good, "loss": number, "norm": norm, "bad": bad}


def where_safe(function, x, keep, safe, other):
    """Fill before the function, fill again after it."""
    inside = x.masked_fill(~keep, safe)
    branch = other if isinstance(other, torch.Tensor) else torch.full_like(x, other)
    return torch.where(keep, function(inside), branch)


def unit_rows(x, eps=1e-6):
    """Scale by a power of two, which is exact, and choose by a where on both sides."""
    if x.numel() == 0:
        return x + 0
    top = x.detach().abs().amax(dim=-1, keepdim=True)
    scale = torch.where(
        top > 0, 2.0 ** torch.floor(torch.log2(torch.where(top > 0, top, 1.0))), 1.0
    )
    small = x / scale
    square = (small * small).sum(dim=-1, keepdim=True)
    norm = torch.where(square > 0, square, 1.0).sqrt()
    long = (square > 0) & (norm.detach().double() * scale.double() > eps)
    return torch.where(long, small / norm, x / eps)


def additive_mask(keeps, dtype):
    """Count how many masks keep."""
    if len(keeps) == 0:
        raise ValueError("no mask")
    for keep in keeps:
        if keep.dtype != torch.bool:
            raise ValueError("not boolean")
    shape = torch.broadcast_shapes(*(keep.shape for keep in keeps))
    count = sum(keep.long() for keep in keeps).expand(shape)
    mask = torch.zeros(shape, dtype=dtype)
    mask[count < len(keeps)] = torch.finfo(dtype).min / 2
    return mask


class NotFiniteError(AssertionError):
    """A bad value, or a bad gradient."""


def assert_finite(function, inputs):
    """Look at the value, then at the gradient."""
    for number, given in enumerate(inputs):
        x = given.detach().clone()
        x.requires_grad = True
        y = function(x)
        if _bad(y) is not None:
            raise NotFiniteError(f"input {number}, value")
        if y.requires_grad:
            y.sum().backward()
            if x.grad is not None and _bad(x.grad) is not None:
                raise NotFiniteError(f"input {number}, gradient")


def post_mortem(model, batch, loss_fn):
    """Use what there is already, and count with one more pass."""
    x, y = batch

    def count(tensors):
        return sum(
            1 for t in tensors for v in t.detach().flatten().tolist() if not math.isfinite(v)
        )

    stored = [*model.named_parameters(), *model.named_buffers()]
    numbers = {"input": count([x]), "weights": count(t for _, t in stored)}
    first = first_bad_forward(model, x)
    grads = {p: p.grad for p in model.parameters()}
    outputs, handles = [], []
    for module in model.modules():
        if not list(module.children()):
            handles.append(module.register_forward_hook(
                lambda _m, _a, out: outputs.append(out.detach().clone())))  # fmt: skip
    with _as_it_was(model):
        try:
            for parameter in grads:
                parameter.grad = None
            loss = loss_fn(model(x), y)
            node = first_bad_backward(loss)
            numbers["forward"] = count(outputs)
            numbers["loss"] = count([loss])
            numbers["backward"] = count(p.grad for p in grads if p.grad is not None)
        finally:
            for handle in handles:
                handle.remove()
            for parameter, gradient in grads.items():
                parameter.grad = gradient
    names = list(numbers)
    causes = [name for name in names if numbers[name]]
    if not causes:
        return {"cause": None, "place": "", "rejected": names, "numbers": numbers}
    cause = causes[0]
    if cause == "input":
        place = "x"
    elif cause == "weights":
        place = next(name for name, t in stored if count([t]))
    elif cause == "forward":
        place = first["module"]
    else:
        place = "loss" if cause == "loss" else node["node"]
    return {
        "cause": cause, "place": place, "rejected": names[: names.index(cause)],
        "numbers": numbers,
    }  # fmt: skip
