"""Sequential phases through amdahl with the floor of the overlapped ones."""


def rank_targets(phases, speedup, overlapped=()):
    over = set(overlapped)
    if over - set(phases) or not all(t >= 0 for t in phases.values()) or not speedup > 0:
        raise ValueError
    seq = sum(t for n, t in phases.items() if n not in over)
    now = max([seq] + [phases[o] for o in over])
    if now == 0:
        raise ValueError
    gains = {}
    for n, t in phases.items():
        if n in over:
            new = max([seq, t / speedup] + [phases[o] for o in over if o != n])
        else:
            new = max([seq - t + t / speedup] + [phases[o] for o in over])
        gains[n] = now / new if new > 0 else float("inf")
    return sorted(gains.items(), key=lambda kv: kv[1], reverse=True)
