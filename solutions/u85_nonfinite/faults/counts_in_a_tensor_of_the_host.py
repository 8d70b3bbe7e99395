"""Puts the counts together in a tensor that lies on the host.

check = "8.5.k/one_wait_on_a_device"
stage = "torch"
says = "A tensor that is made without a device lies on the host, and each count that is written into it waits. Put the counts together where the gradients are, with torch.stack."
"""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    found = torch.zeros(len(there), dtype=torch.long)
    for place, tensor in enumerate(there.values()):
        found[place] = (~tensor.isfinite()).sum()
    counts = dict(zip(there, found.tolist(), strict=True))
    return {name: counts.get(name) for name in tensors}
