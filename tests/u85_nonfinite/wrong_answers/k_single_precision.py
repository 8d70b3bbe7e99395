"""Joins all tensors as float32, where a large float64 is infinite."""


def nonfinite_counts(tensors):
    there = {n: t.detach().flatten().float() for n, t in tensors.items() if t is not None}
    if not there:
        return dict.fromkeys(tensors)
    bad = (~torch.cat(list(there.values())).isfinite()).tolist()
    counts, start = {}, 0
    for name, tensor in there.items():
        counts[name] = sum(bad[start : start + len(tensor)])
        start += len(tensor)
    return {name: counts.get(name) for name in tensors}
