"""Takes the mean of the ratios for their median.

check = "8.9.o/speed_by_the_median_and_its_interval"
stage = "torch"
says = "The ratio is a mean, which a few pairs with a pause in them move. Take the median of the pairs."
"""

_median_speed = _speed


def _speed(old, new, seed):
    ratios = torch.tensor(old, dtype=torch.float64) / torch.tensor(new, dtype=torch.float64)
    return {**_median_speed(old, new, seed), "ratio": float(ratios.mean())}
