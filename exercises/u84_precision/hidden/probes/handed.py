"""Hand arguments to student code in layouts that do not travel, and see what comes back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def given_as(argument: Any) -> Any:
    """Return an argument as it is handed in: some layouts do not travel and are made here."""
    import numpy as np

    if not isinstance(argument, dict) or "layout" not in argument:
        return argument
    data, layout = np.asarray(argument["data"]), argument["layout"]
    if layout == "bits of float32":
        return data.astype(np.uint32).view(np.float32)
    if layout == "bits of float32, every second one":
        wide = np.zeros(2 * data.size, dtype=np.uint32)
        wide[::2] = data
        return wide.view(np.float32)[::2]
    if layout == "transposed":
        return np.ascontiguousarray(data.T).T
    if layout == "no dimension":
        return data.reshape(())
    if layout == "backwards":
        return data[::-1].copy()[::-1]
    raise ValueError(layout)


def copied(value: Any) -> Any:
    """Return a deep copy of arguments, to compare with afterwards."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.copy()
    return [copied(item) for item in value] if isinstance(value, list) else value


def same(one: Any, other: Any) -> bool:
    """Whether arguments are still what they were, bit for bit."""
    import numpy as np

    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


def answer_of(function: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
    """Call a function; a stub's error is let through, so that it counts as not attempted."""
    try:
        return {"value": function(*arguments, **named)}
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return {
            "raised": [kind.__name__ for kind in type(error).__mro__],
            "message": str(error)[:300],
        }


def calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function of the NumPy stage many times; say whether it kept its arguments."""
    function, answers = getattr(stage, case["function"]), []
    for arguments, named in case["calls"]:
        given = [given_as(argument) for argument in arguments]
        before = copied(given)
        answer = answer_of(function, *given, **named)
        answer["kept"] = same(before, given)
        answers.append(answer)
    return answers


def dtype_of(case: dict[str, Any]) -> Any:
    """Return the dtype that a case names."""
    import torch

    return getattr(torch, case.get("dtype", "float16"))


def device_of(case: dict[str, Any]) -> Any:
    """Return the device that a case names, the CPU if it names none: text, or an object."""
    import torch

    device = case.get("device", "cpu")
    return torch.device(device) if case.get("as_object") else device


def backward_recorder() -> Any:
    """Return an autograd function that notes what is on during its backward."""
    import torch

    class Recorder(torch.autograd.Function):
        """Identity that notes whether autocast is on while its backward runs."""

        seen: list[Any] = []  # noqa: RUF012

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            Recorder.seen.append(torch.is_autocast_enabled("cpu"))
            return grad

    return Recorder


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect what would have been warned about autocast and scalers."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    found += [
        str(one.message)[:120]
        for one in caught
        if any(word in str(one.message) for word in ("autocast", "Autocast", "GradScaler"))
    ]
