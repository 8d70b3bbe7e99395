"""Cleans the tensors before it counts."""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = torch.stack([(~t.detach().nan_to_num_().isfinite()).sum() for t in there.values()]).tolist()
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name) for name in tensors}
