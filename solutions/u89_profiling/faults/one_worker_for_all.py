"""Adds the overlapped phases up as if one worker ran them.

check = "8.9.g/every_ranking"
stage = "numpy"
says = "The hidden phases were added up. Each has a worker of its own, so only the longest one can hold the step up."
"""

_own_worker = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    _own_worker(phases, speedup, overlapped)

    def it(t):
        return max(
            sum(v for n, v in t.items() if n not in overlapped), sum(t[n] for n in overlapped)
        )

    now = it(phases)
    out = []
    for n, v in phases.items():
        then = it({**phases, n: v / speedup})
        out.append((n, now / then if then else math.inf))
    return sorted(out, key=lambda p: -p[1])
