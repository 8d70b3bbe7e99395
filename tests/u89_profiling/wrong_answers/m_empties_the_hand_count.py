"""Takes the terms out of the dict it was given."""

_untouched = reconcile_flops


def reconcile_flops(step, hand):
    r = _untouched(step, hand)
    for n in r["excluded"]:
        del hand[n]
    return r
