"""Tries no term, one term and pairs."""


def reconcile_flops(step, hand):
    with FlopCounterMode(display=False) as c:
        step()
    counted = c.get_total_flops()
    missing = sum(hand.values()) - counted
    sets = [s for k in range(3) for s in itertools.combinations(hand, k)]
    ex = next((s for s in sets if sum(hand[n] for n in s) == missing), ())
    return {
        "hand": counted + missing,
        "counted": counted,
        "missing": missing,
        "excluded": list(ex),
        "included": [n for n in hand if n not in ex],
        "unexplained": missing - sum(hand[n] for n in ex),
    }
