"""Exact rational arithmetic inside, floats outside."""

from fractions import Fraction


def rank_targets(phases, speedup, overlapped=()):
    if (
        not speedup > 0
        or any(not v >= 0 for v in phases.values())
        or not any(phases.values())
        or set(overlapped) - set(phases)
    ):
        raise ValueError
    f = {n: Fraction(v) for n, v in phases.items()}

    def it(t):
        return max(
            [sum(v for n, v in t.items() if n not in overlapped)] + [t[n] for n in overlapped]
        )

    now, out = it(f), []
    for n in f:
        new = it({**f, n: Fraction(0) if math.isinf(speedup) else f[n] / Fraction(speedup)})
        out.append((n, float(now / new) if new else math.inf))
    return sorted(out, key=lambda p: p[1], reverse=True)
