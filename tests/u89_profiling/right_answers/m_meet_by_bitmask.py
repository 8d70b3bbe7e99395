"""All sets by bitmask, the smallest kept; counts from get_flop_counts."""


def reconcile_flops(step, hand):
    counter = FlopCounterMode(display=False)
    with counter:
        step()
    counted = sum(counter.get_flop_counts().get("Global", {}).values())
    names = list(hand)
    total = sum(hand.values())
    missing = total - counted
    best = None
    for mask in range(1 << len(names)):
        chosen = [n for i, n in enumerate(names) if mask >> i & 1]
        if sum(hand[n] for n in chosen) == missing and (best is None or len(chosen) < len(best)):
            best = chosen
    best = best or []
    return {
        "unexplained": missing - sum(map(hand.get, best)),
        "included": [n for n in names if n not in best],
        "excluded": tuple(best),
        "missing": missing,
        "counted": counted,
        "hand": total,
    }
