"""Puts tensors of all dtypes together in one of float16."""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = torch.stack([(~t.float().half().isfinite()).sum() for t in there.values()]).tolist()
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name) for name in tensors}
