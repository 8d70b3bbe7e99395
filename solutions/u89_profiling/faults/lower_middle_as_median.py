"""Takes torch.median of the ratios, which is the lower of two middle ones.

check = "8.9.o/speed_by_the_median_and_its_interval"
stage = "torch"
says = "torch.median gives the lower of the two middle values. The median of an even number of pairs lies between them: torch.quantile(ratios, 0.5)."
"""

_middle_speed = _speed


def _speed(old, new, seed):
    ratios = torch.tensor(old, dtype=torch.float64) / torch.tensor(new, dtype=torch.float64)
    return {**_middle_speed(old, new, seed), "ratio": float(ratios.median())}
