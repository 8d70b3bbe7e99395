"""Facts about torch that unit 8.2 rests on; a failure here means that a release changed one.

Each is a live experiment. When one fails, torch is right: change the unit that relies on it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

T, ONE, MASK = torch.arange(1.0, 5.0), torch.tensor(3.0), torch.tensor([True, False, True, False])


def names_of(call: Callable[[], Any]) -> list[str]:
    """Return the functions that a mode sees at the outermost level."""
    seen: list[str] = []

    class Names(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Names():
        call()
    return seen


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: bool(ONE), "__bool__"),
        (lambda: float(ONE), "__float__"),
        (lambda: int(ONE), "__int__"),
        (lambda: [0, 1, 2, 3][ONE.long()], "__index__"),
        (lambda: np.asarray(T), "__array__"),
        (lambda: repr(T), "__repr__"),
        (lambda: str(T), "__repr__"),
        (lambda: f"{ONE:.2f}", "__format__"),
        (lambda: T[MASK], "__getitem__"),
        (lambda: T.clone().__setitem__(MASK, 0.0), "__setitem__"),
        (T.unique, "unique"),
        (lambda: torch.nonzero(T), "nonzero"),
    ],
)
def test_a_mode_sees_every_conversion_under_this_name(call: Callable[[], Any], name: str) -> None:
    assert name in names_of(call)


def test_what_is_done_inside_a_call_is_not_seen_again() -> None:
    assert names_of(lambda: repr(T)) == ["__repr__"]


def test_a_length_is_known_without_asking_the_device() -> None:
    assert names_of(lambda: len(T)) in ([], ["__len__"])


def test_a_mode_does_not_see_what_hooks_do_inside_a_backward() -> None:
    ran: list[float] = []
    weight = torch.ones(3, requires_grad=True)
    product = weight * 2
    product.register_hook(lambda grad: ran.append(grad.sum().item()))
    assert names_of(lambda: product.sum().backward()) == ["sum", "backward"]
    assert ran == [3.0]


def test_membership_is_one_call_whose_wait_lies_inside_it() -> None:
    assert names_of(lambda: 3 in T) == ["__contains__"]


def test_printing_passes_through_torchs_own_files(torch_stage: Any) -> None:
    text = "def step():\n    str(t)\n"
    names: dict[str, Any] = {"t": T}
    exec(compile(text, "step.py", "exec"), names)
    assert torch_stage.host_syncs(names["step"]) == [{"name": "__repr__", "line": 2}]
    assert Path(torch_stage.TORCH_FOLDER) == Path(torch.__file__).parent


def test_indexing_with_a_list_makes_a_copy() -> None:
    assert T[[0, 1]].data_ptr() != T.data_ptr()
    assert T[0:2].data_ptr() == T.data_ptr()


def test_a_sum_of_float16_losses_overflows() -> None:
    loss = torch.tensor(40_000.0, dtype=torch.float16)
    assert torch.isinf(loss + loss)


@pytest.mark.skipif(torch.cuda.is_available(), reason="skipped: needs a build without CUDA")
def test_events_and_pinning_are_refused_without_cuda() -> None:
    with pytest.raises((RuntimeError, AssertionError)):
        torch.cuda.Event(enable_timing=True).record()
    with pytest.raises(RuntimeError):
        torch.ones(1).pin_memory()
