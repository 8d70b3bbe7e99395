"""Counts 0 for a gradient that is not there.

check = "8.5.k/not_measured_is_not_zero"
stage = "torch"
says = "A gradient that is not there was counted as fine. Not measured is not zero."
"""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = torch.stack([(~t.isfinite()).sum() for t in there.values()]).tolist()
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name, 0) for name in tensors}
