"""Takes the first set of terms that fits, however many they are.

check = "8.9.m/the_fewest_terms_in_their_order"
stage = "torch"
says = "Some set of terms with the right sum was taken, and a smaller one explains the same. Try single terms first, then pairs."
"""


def reconcile_flops(step, hand):
    with FlopCounterMode(display=False) as counter:
        step()
    counted = counter.get_total_flops()
    missing = sum(hand.values()) - counted
    excluded = []
    for bits in range(1 << len(hand)):
        names = [name for place, name in enumerate(hand) if bits >> place & 1]
        if sum(hand[name] for name in names) == missing:
            excluded = names
            break
    return {
        "hand": counted + missing,
        "counted": counted,
        "missing": missing,
        "excluded": excluded,
        "included": [name for name in hand if name not in excluded],
        "unexplained": missing - sum(hand[name] for name in excluded),
    }
