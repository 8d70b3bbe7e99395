"""Uses a 95 % interval."""

_ninety_nine = _speed


def _speed(old, new, seed):
    ratios = torch.tensor(old, dtype=torch.float64) / torch.tensor(new, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(ratios), (2000, len(ratios)), generator=generator)
    medians = torch.quantile(ratios[drawn], 0.5, dim=1)
    low, high = (float(torch.quantile(medians, q)) for q in (0.025, 0.975))
    return {**_ninety_nine(old, new, seed), "low": low, "high": high}
