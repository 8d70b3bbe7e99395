"""Takes the first set in binary order, which is not the one with the fewest terms."""


def reconcile_flops(step, hand):
    with FlopCounterMode(display=False) as c:
        step()
    counted = c.get_total_flops()
    missing = sum(hand.values()) - counted
    names, ex = list(hand), []
    for bits in range(1 << len(names)):
        s = [n for i, n in enumerate(names) if bits >> i & 1]
        if sum(hand[n] for n in s) == missing:
            ex = s
            break
    return {
        "hand": counted + missing,
        "counted": counted,
        "missing": missing,
        "excluded": ex,
        "included": [n for n in hand if n not in ex],
        "unexplained": missing - sum(hand[n] for n in ex),
    }
