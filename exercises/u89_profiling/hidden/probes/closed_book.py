"""`closed_book_step`: its trace, and what the process did while the trace was made.

A trace is a file that anybody can write. So the probe also notes what every profiler recorded and
what every optimizer of `torch.optim` changed, by functions that were bound before the stage.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TORCH = sys.modules.get("torch")  # a NumPy worker has none
if _TORCH is not None:
    from torch._C._autograd import _profiler_enabled
    from torch.autograd import profiler as _profiler
    from torch.optim.optimizer import (
        register_optimizer_step_post_hook,
        register_optimizer_step_pre_hook,
    )

    from grader.instruments.trace import TraceError, operators, read_trace, user_ranges

    _disable_profiler = _profiler._disable_profiler


class _Notes:
    """What happened while it was on.

    Attributes:
        profiles: For each profile that ended how often each name was recorded.
        updates: For each step of an optimizer how many of its matrices it changed, and the number
            of the profile that was recording, None if there was none.
    """

    def __init__(self) -> None:
        self.profiles: list[Counter[str]] = []
        self.updates: list[dict[str, Any]] = []
        self._before: list[int] = []

    def begin_step(self, optimizer: Any, *step: Any) -> None:
        """Remember the weights."""
        self._before = _fingerprints(optimizer)

    def end_step(self, optimizer: Any, *step: Any) -> None:
        """Note which of the weights have changed."""
        after = _fingerprints(optimizer)
        changed = sum(old != new for old, new in zip(self._before, after, strict=False))
        number = len(self.profiles) if _profiler_enabled() else None
        self.updates.append({"changed": changed, "profile": number})

    def end_profile(self) -> Any:
        """Stop the profiler; note what it recorded."""
        result = _disable_profiler()
        self.profiles.append(Counter(event.name() for event in result.events()))
        return result


def _fingerprints(optimizer: Any) -> list[int]:
    """Return a number for the bytes of each matrix; no operator runs that a trace would show."""
    found = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.ndim > 1:
                storage = parameter.untyped_storage()
                held = ctypes.string_at(storage.data_ptr(), storage.nbytes())
                found.append(zlib.crc32(held))
    return found


@contextlib.contextmanager
def _noting() -> Iterator[_Notes]:
    """Note what profilers and optimizers do."""
    notes = _Notes()
    hooks = [
        register_optimizer_step_pre_hook(notes.begin_step),
        register_optimizer_step_post_hook(notes.end_step),
    ]
    _profiler._disable_profiler = notes.end_profile
    try:
        yield notes
    finally:
        _profiler._disable_profiler = _disable_profiler
        for hook in hooks:
            hook.remove()


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book step, read the trace it wrote, and say which profile it is of."""
    path = Path(case["scratch"], "closed_book.json")
    with _noting() as notes:
        answer = stage.closed_book_step(str(path))
    named = answer.get("trace") if isinstance(answer, dict) else None
    seen = {
        "answer": answer,
        "updates": notes.updates,
        "path": os.path.realpath(path),
        "named": os.path.realpath(named) if isinstance(named, str) else "",
    }
    try:
        events = read_trace(path)
    except TraceError as error:
        nothing = {"ranges": [], "operators": [], "profile": None}
        return {**seen, **nothing, "problem": str(error)}
    ranges, work = (
        [[event.name, event.start, event.end] for event in chosen]
        for chosen in (user_ranges(events), operators(events))
    )
    whole = Counter(name for name, *_ in (*ranges, *work))
    return {
        **seen,
        "problem": "",
        "ranges": ranges,
        "operators": work,
        "profile": _of_which(whole, notes.profiles),
    }


def _of_which(whole: Counter[str], profiles: list[Counter[str]]) -> int | None:
    """Return the number of the last profile that recorded just what is in a trace."""
    for number, profile in reversed(list(enumerate(profiles))):
        # with stacks a profile has Python's functions besides, which are in another category
        torchs = {name for name in profile if name.startswith("aten::")}
        if all(whole[name] == profile[name] for name in whole.keys() | torchs):
            return number
    return None
