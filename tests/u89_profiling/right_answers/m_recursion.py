"""Depth-first search with growing size, order kept by rebuilding from hand."""


def reconcile_flops(step, hand):
    counter = FlopCounterMode(display=False, depth=None)
    with counter:
        _ = step()
    c = int(counter.get_total_flops())
    names, h = tuple(hand), sum(hand.values())
    gap = h - c

    def find(i, left, k):
        if k == 0:
            return [] if left == 0 else None
        for j in range(i, len(names) - k + 1):
            rest = find(j + 1, left - hand[names[j]], k - 1)
            if rest is not None:
                return [names[j], *rest]
        return None

    ex = next((f for k in range(len(names) + 1) if (f := find(0, gap, k)) is not None), [])
    return {
        "hand": h,
        "counted": c,
        "missing": gap,
        "excluded": ex,
        "included": [n for n in hand if n not in set(ex)],
        "unexplained": gap - sum(hand[n] for n in ex),
    }
