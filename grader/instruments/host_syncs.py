"""Count the calls at which the host would wait for a device, on any machine.

A `TorchFunctionMode` sees every call of torch's Python functions. Those whose result is a Python
value, a NumPy array, text, or a tensor of a size that depends on the data must wait until the
device has computed it. On a CPU nothing waits; the calls are the same, so the count is too.

Blind to: ``.to(device)``, which code for any device calls on a CPU too, waits inside C++ (an
operator that synchronises by itself, a blocking copy), where a tensor is (what ``.cpu()`` returned
is read without waiting on a device, but is counted here), and code under torch.compile, which was
not tried. Syncs inside torch's own Python (the optimizer's step counters, the gradient scaler) are
counted and marked ``library``: a budget for one's own code leaves them out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_TORCH_FOLDER = str(Path(torch.__file__).parent)

_PLUMBING = frozenset(
    str(Path(torch.__file__).parent / file)
    for file in ("_tensor.py", "overrides.py", "functional.py", "_jit_internal.py")
)
"""Files of torch that only pass a call on; the place of a sync is behind them."""

_ALWAYS = frozenset(
    {
        "item",
        "tolist",
        "numpy",
        "cpu",
        "nonzero",
        "argwhere",
        "masked_select",
        "unique",
        "unique_consecutive",
        "equal",
        "allclose",
        "is_nonzero",
        "bincount",
        "histc",
        "__bool__",
        "__float__",
        "__int__",
        "__index__",
        "__complex__",
        "__array__",
        "__repr__",
        "__str__",
        "__format__",
        "__contains__",
    }
)
"""Functions and methods of a tensor that give the host a value or a size."""


@dataclass(frozen=True, slots=True)
class Sync:
    """One call that waits.

    Attributes:
        name: Such as ``"item"`` or ``"mask index"``.
        place: ``file:line`` of the call.
        library: Whether the call is in torch's own Python code.
    """

    name: str
    place: str
    library: bool


class HostSyncs(TorchFunctionMode):  # type: ignore[misc]  # torch is not seen by mypy
    """While entered, collects the syncs of this thread in `seen`."""

    def __init__(self) -> None:
        """Start with none."""
        super().__init__()
        self.seen: list[Sync] = []

    @property
    def count(self) -> int:
        """All syncs."""
        return len(self.seen)

    @property
    def own(self) -> int:
        """Syncs outside torch's own code."""
        return sum(not sync.library for sync in self.seen)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Note the call if it waits, then make it; calls inside it are not noted again."""
        name = sync_name(func, args, kwargs or {})
        if name:
            self.seen.append(_sync(name, sys._getframe(1)))
        return func(*args, **(kwargs or {}))


def count_host_syncs(fn: Callable[[], Any]) -> int:
    """Run `fn` once and return how many syncs it makes, torch's own included."""
    syncs = HostSyncs()
    with syncs:
        fn()
    return syncs.count


def sync_name(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return what kind of sync a call of a torch function is; nothing when it does not wait."""
    name = getattr(func, "__name__", "")
    if name in _ALWAYS:
        return name
    if name in ("__getitem__", "__setitem__") and len(args) > 1 and _has_mask(args[1]):
        return "mask index"
    if name == "where" and len(args) + len(kwargs) == 1:
        return "where"
    if name == "repeat_interleave" and any(isinstance(a, torch.Tensor) for a in args[1:]):
        return name
    if name in ("tensor", "as_tensor") and args and _lists_tensors(args[0]):
        return "tensor of tensors"
    return ""


def answers_known_question() -> bool:
    """Whether a snippet with three syncs counts three, and one without counts none."""
    value = torch.ones(3)

    def three() -> None:
        value.sum().item()
        bool(value.any())
        value[value > 0].add(1)

    return count_host_syncs(three) == 3 and count_host_syncs(lambda: value.add(1).sum()) == 0


def _has_mask(index: Any) -> bool:
    """Whether an index is, or holds, a tensor of booleans or bytes."""
    parts = index if isinstance(index, tuple | list) else (index,)
    masks = (torch.bool, torch.uint8)
    return any(isinstance(part, torch.Tensor) and part.dtype in masks for part in parts)


def _lists_tensors(data: Any) -> bool:
    """Whether data for a new tensor is a list that holds tensors, each read one by one."""
    return isinstance(data, list | tuple) and any(isinstance(item, torch.Tensor) for item in data)


def _sync(name: str, frame: FrameType | None) -> Sync:
    """Return the sync with the place of the first frame that is not torch's plumbing."""
    while frame is not None and frame.f_code.co_filename in _PLUMBING:
        frame = frame.f_back
    if frame is None:
        return Sync(name, "", False)
    file = frame.f_code.co_filename
    return Sync(name, f"{Path(file).name}:{frame.f_lineno}", file.startswith(_TORCH_FOLDER))
