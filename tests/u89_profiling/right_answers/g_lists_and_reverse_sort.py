"""Pairs as lists, a stable reverse sort, NumPy scalars."""


def rank_targets(phases, speedup, overlapped=()):
    if (
        not speedup > 0
        or any(not t >= 0 for t in phases.values())
        or not any(phases.values())
        or any(o not in phases for o in overlapped)
    ):
        raise ValueError

    def it(which=None):
        t = {n: np.float64(v) / (speedup if n == which else 1) for n, v in phases.items()}
        return max(
            [
                sum((v for n, v in t.items() if n not in overlapped), np.float64(0)),
                *[t[o] for o in overlapped],
            ]
        )

    with np.errstate(divide="ignore"):
        pairs = [[n, it() / it(n)] for n in phases]
    pairs.sort(key=lambda p: p[1], reverse=True)
    return pairs
