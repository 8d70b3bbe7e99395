"""Count what autograd keeps for the backward: each storage once, in bytes.

Every tensor that a node saves passes a pack hook. Views, transposes and repeated saves share a
storage, so storages are counted, not tensors.

Blind to: what an operator keeps outside autograd's hooks (Python objects, a context's attributes),
tensors inside a checkpointed region (their hooks are the region's own), and freeing: this is what
the forward has saved, not what is alive at one moment. Exact and repeatable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """One storage that the forward saved.

    Attributes:
        size: Bytes of the storage [B].
        shape: Of the first tensor that was saved on it.
        dtype: Of the same, such as ``"float32"``.
        times: How often a tensor on it was saved.
    """

    size: int
    shape: tuple[int, ...]
    dtype: str
    times: int


def saved_tensors(
    fn: Callable[[], Any], without: Iterable[torch.Tensor] = ()
) -> tuple[SavedTensor, ...]:
    """Run `fn` and return what its graph saved, in the order of first saving.

    Args:
        fn: A forward; what it returns is kept until the count is done.
        without: Tensors that exist anyway, such as parameters, buffers and inputs; saves on their
            storages are left out.
    """
    known = {_key(tensor) for tensor in without}
    kept: dict[int, tuple[torch.Tensor, int]] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        key = _key(tensor)
        if key not in known:
            first, times = kept.get(key, (tensor.detach(), 0))
            kept[key] = first, times + 1
        # The tensor itself would refer to its own node and never be freed without a backward.
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = fn()
    seen = tuple(
        SavedTensor(
            first.untyped_storage().nbytes(),
            tuple(first.shape),
            str(first.dtype).removeprefix("torch."),
            times,
        )
        for first, times in kept.values()
    )
    del result
    return seen


def saved_bytes(fn: Callable[[], Any], without: Iterable[torch.Tensor] = ()) -> int:
    """Run `fn` and return the size of everything its graph saved [B]."""
    return sum(saved.size for saved in saved_tensors(fn, without))


def answers_known_question() -> bool:
    """Whether ``exp`` of 8 floats, squared, is found to save its own output once."""
    x = torch.zeros(8, requires_grad=True)

    def fn() -> torch.Tensor:
        y = x.exp()
        return y * y.view(2, 4).view(8)

    return saved_tensors(fn, [x]) == (SavedTensor(32, (8,), "float32", 3),)


def _key(tensor: torch.Tensor) -> int:
    """Return what is the same for all tensors on one storage."""
    return int(tensor.untyped_storage()._cdata)
