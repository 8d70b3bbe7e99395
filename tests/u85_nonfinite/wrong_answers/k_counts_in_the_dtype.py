"""Adds up in the dtype of the tensor, where large counts are rounded."""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = [
            (~t.isfinite()).to(t.dtype if t.is_floating_point() else torch.long).sum().long()
            for t in there.values()
        ]
        counts = dict(zip(there, torch.stack(found).tolist(), strict=True))
    return {name: counts.get(name) for name in tensors}
