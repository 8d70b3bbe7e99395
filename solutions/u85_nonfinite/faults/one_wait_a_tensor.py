"""Reads one number for each tensor.

check = "8.5.k/exactly_one_wait"
stage = "torch"
says = "Each .item() waits for the device. Stack the counts there and fetch them at once."
also = ["8.5.k/one_wait_on_a_device"]
"""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = [(~t.isfinite()).sum().item() for t in there.values()]
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name) for name in tensors}
