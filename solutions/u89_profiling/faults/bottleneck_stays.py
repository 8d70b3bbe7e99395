"""Forgets that a hidden phase becomes the limit when the step gets faster.

check = "8.9.g/every_ranking"
stage = "numpy"
says = "The gain goes past the point where the hidden phase becomes the limit. Compute the whole iteration again with the faster phase."
"""

_moving = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    pairs = _moving(phases, speedup, overlapped)
    step = sum(v for n, v in phases.items() if n not in overlapped)
    now = max([step, *(phases[n] for n in overlapped)])
    out = []
    for n, v in phases.items():
        if n in overlapped:
            gain = dict(pairs)[n]
        elif now > step:
            gain = 1.0
        else:
            left = step - v + v / speedup
            gain = step / left if left else math.inf
        out.append((n, gain))
    return sorted(out, key=lambda p: -p[1])
