"""Dynamic programming over sums; last set found among equals; NumPy integers."""

import numpy as np


def reconcile_flops(step, hand):
    with FlopCounterMode(display=False) as c:
        step()
    counted = c.get_total_flops()
    missing = sum(hand.values()) - counted
    reach = {0: ()}
    for n, v in reversed(hand.items()):
        for s, names in list(reach.items()):
            if s + v not in reach or len(reach[s + v]) > len(names) + 1:
                reach[s + v] = (n, *names)
    ex = reach.get(missing, ())
    return {
        "hand": np.int64(sum(hand.values())),
        "counted": np.int64(counted),
        "missing": missing,
        "excluded": list(ex),
        "included": [n for n in hand if n not in ex],
        "unexplained": missing - sum(hand[n] for n in ex),
    }
