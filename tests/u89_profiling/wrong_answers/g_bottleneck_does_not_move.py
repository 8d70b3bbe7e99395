"""Forgets that the loader becomes the limit when a phase of the step gets faster."""

_moving = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    pairs = _moving(phases, speedup, overlapped)
    order = {n: i for i, n in enumerate(phases)}
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
