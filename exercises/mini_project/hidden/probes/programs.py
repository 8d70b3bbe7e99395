"""Trainers made from source text, and the student's adapter looked at before anything uses it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from itertools import islice
from types import ModuleType
from typing import Any

MOST_BATCHES = 64
_ARGUMENTS = {"make_model": 1, "make_batches": 1, "loss": 2}
_PROGRAM = "program_"
_state: dict[str, Any] = {}


class AdapterError(ValueError):
    """What keeps an adapter from being trained, in one line."""


def maker(text: str, adapter: str | None = None) -> Callable[[int], Any]:
    """Return `make_trainer` of a program, which imports the adapter that is there, or another.

    Args:
        text: The program.
        adapter: Text of an adapter for this program alone; None for the student's.
    """
    if adapter is not None:
        own = sys.modules.pop("adapter", None)
        sys.modules["adapter"] = other = ModuleType("adapter")
        try:
            exec(compile(adapter, "<adapter>", "exec"), other.__dict__)
            return maker(text)
        finally:
            del sys.modules["adapter"]
            if own is not None:
                sys.modules["adapter"] = own
    number = _state["programs"] = _state.get("programs", 0) + 1
    module = ModuleType(f"{_PROGRAM}{number}")
    sys.modules[module.__name__] = module  # torch.compile looks a function's module up
    exec(compile(text, f"<{module.__name__}>", "exec"), module.__dict__)
    return module.make_trainer  # type: ignore[no-any-return]


def forget(make: Callable[[int], Any]) -> None:
    """Take a program out of the process again, so that the next one cannot be held against it."""
    if make.__module__.startswith(_PROGRAM):
        sys.modules.pop(make.__module__, None)


def ready(stage: Any, function: str) -> Any:
    """Return the student's adapter, sound; a task that is not begun is told before what it lacks.

    Raises:
        AdapterError: with what is wrong with the adapter.
        NotImplementedError: if the function or the adapter is still a stub.
    """
    if "adapter" not in _state:
        try:
            _state["adapter"] = _sound_adapter()
        except AdapterError:
            begun(stage, function)
            raise
    return _state["adapter"]


def begun(stage: Any, function: str) -> None:
    """Raise what a stub raises, if the function is one; arguments make no difference to it."""
    made = getattr(stage, function)
    arguments = inspect.signature(made).parameters.values()
    count = sum(one.default is inspect.Parameter.empty for one in arguments)
    try:
        made(*[None] * count)
    except NotImplementedError:
        raise
    except Exception:  # it is begun; without an adapter nothing more can be said of it
        return


def tried(stage: Any, case: dict[str, Any]) -> None:
    """A probe: be heard as a stub, if the function is one."""
    begun(stage, case["function"])


def _sound_adapter() -> Any:
    """Import the adapter and try all of it once."""
    import torch

    adapter = _imported()
    model = adapter.make_model(0)
    _look_at_model(model)
    again = [p.detach().clone() for p in adapter.make_model(0).parameters()]
    same = [torch.equal(p, q) for p, q in zip(model.parameters(), again, strict=False)]
    _refuse_unless(all(same), "make_model(0) gives other weights the second time")
    batch = _first_batch(adapter.make_batches(0))
    loss = adapter.loss(model, batch)
    is_tensor = isinstance(loss, torch.Tensor)
    _refuse_unless(is_tensor, f"loss returns {_kind(loss)}, not a tensor")
    shape = tuple(loss.shape)
    _refuse_unless(loss.dim() == 0, f"loss returns a tensor of shape {shape}, no scalar")
    _refuse_unless(loss.requires_grad, "the loss has no graph: nothing would be trained")
    finite = bool(torch.isfinite(loss))
    _refuse_unless(finite, f"the loss of the first batch is {loss.item()}, which is not finite")
    return adapter


def _imported() -> Any:
    try:
        import adapter
    except ModuleNotFoundError as error:
        if error.name != "adapter":
            raise
        text = "adapter.py: there is no such file; `grade project start` writes it"
        raise AdapterError(text) from None
    for name, count in _ARGUMENTS.items():
        found = getattr(adapter, name, None)
        _refuse_unless(found is not None, f"there is no function `{name}`")
        _refuse_unless(callable(found), f"`{name}` is {_kind(found)}, not a function")
        try:
            inspect.signature(found).bind(*[None] * count)
        except TypeError:
            wanted = "(model, batch)" if count == 2 else "(seed)"
            raise AdapterError(f"adapter.py: `{name}` does not take {wanted}") from None
    return adapter


def _look_at_model(model: Any) -> None:
    import torch

    is_module = isinstance(model, torch.nn.Module)
    _refuse_unless(is_module, f"make_model returns {_kind(model)}, not a torch.nn.Module")
    has = "buffers, but no parameter" if any(True for _ in model.buffers()) else "no parameter"
    parameters = list(model.parameters())
    _refuse_unless(bool(parameters), f"the model has {has}: there is nothing to train")
    trained = any(p.requires_grad for p in parameters)
    _refuse_unless(trained, "no parameter of the model requires a gradient")
    frozen = [name for name, p in model.named_parameters() if not p.requires_grad]
    seen = f"the parameter {', '.join(frozen[:3])} requires no gradient; all are trained"
    _refuse_unless(not frozen, seen)
    _refuse_unless(model.training, "make_model gives a model in evaluation mode, not in training")


def _first_batch(batches: Any) -> Any:
    import torch

    try:
        some = list(islice(iter(batches), MOST_BATCHES + 1))
    except TypeError:
        text = f"adapter.py: make_batches returns {_kind(batches)}, no batches"
        raise AdapterError(text) from None
    _refuse_unless(bool(some), "make_batches gives no batch: a run of zero steps trains nothing")
    _refuse_unless(
        len(some) <= MOST_BATCHES,
        f"make_batches gives more than {MOST_BATCHES} batches, perhaps without end: an epoch ends",
    )
    for batch in some:
        good = isinstance(batch, tuple | list) and bool(batch)
        good = good and all(isinstance(one, torch.Tensor) for one in batch)
        _refuse_unless(good, f"a batch is {_kind(batch)}, not a tuple of tensors")
    _refuse_unless(len(some) > 1, "make_batches gives 1 batch; an epoch has 2 or more")
    shapes = {tuple(tuple(one.shape) for one in batch) for batch in some}
    _refuse_unless(len(shapes) == 1, "two batches of an epoch have different shapes")
    rows = [one.shape[0] if one.dim() else None for one in some[0]]
    seen = f"the tensors of a batch have {rows} rows, not the same number"
    _refuse_unless(len(set(rows)) == 1 and None not in rows, seen)
    return some[0]


def _refuse_unless(good: bool, seen: str) -> None:
    if not good:
        raise AdapterError(f"adapter.py: {seen}")


def _kind(value: Any) -> str:
    return f"a value of type {type(value).__name__}"
