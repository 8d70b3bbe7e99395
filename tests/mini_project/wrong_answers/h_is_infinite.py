"""Returns infinity for the fault, which no post-mortem can repeat."""

_finite_ratio = discriminate


def discriminate(make_trainer):
    ratio = _finite_ratio(make_trainer)
    return float("inf") if ratio > 100 else ratio
