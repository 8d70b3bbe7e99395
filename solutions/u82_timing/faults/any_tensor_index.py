"""Takes every index that is a tensor for a mask.

check = "8.2.j/what_does_not_wait_is_not_reported"
stage = "torch"
says = "Indexing with integers was reported. The size of its result is known without looking: only masks wait."
also = [
  "8.2.j/syncs_come_with_their_lines",
]
"""


def _has_mask(index):
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, torch.Tensor) for part in parts)
