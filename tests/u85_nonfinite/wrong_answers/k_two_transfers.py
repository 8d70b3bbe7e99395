"""Fetches NaN and infinities one after the other."""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        nan = torch.stack([t.isnan().sum() for t in there.values()]).tolist()
        inf = torch.stack([t.isinf().sum() for t in there.values()]).tolist()
        found = [a + b for a, b in zip(nan, inf)]
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name) for name in tensors}
