"""Tries every order of terms, which never ends with 16 terms."""

_sets = reconcile_flops


def reconcile_flops(step, hand):
    r = _sets(step, hand)
    if r["unexplained"]:
        for n in range(1, len(hand) + 1):
            for p in itertools.permutations(hand, n):
                if sum(hand[x] for x in p) == r["missing"]:
                    return r
    return r
