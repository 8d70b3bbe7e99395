"""Concatenates everything and counts by segments."""


def nonfinite_counts(tensors):
    there = {n: t.detach() for n, t in tensors.items() if t is not None}
    if not there:
        return dict.fromkeys(tensors)
    flags = torch.cat([t.isfinite().logical_not().reshape(-1).long() for t in there.values()])
    ends = [0]
    for t in there.values():
        ends.append(ends[-1] + t.numel())
    sums = torch.cat([torch.zeros(1, dtype=torch.long), flags.cumsum(0)])[ends].cpu().numpy()
    found = {n: sums[i + 1] - sums[i] for i, n in enumerate(there)}
    return {n: found.get(n) for n in tensors}
