"""Takes the mean of the ratios."""

_median = _speed


def _speed(old, new, seed):
    ratios = torch.tensor(old, dtype=torch.float64) / torch.tensor(new, dtype=torch.float64)
    return {**_median(old, new, seed), "ratio": ratios.mean().item()}
