"""Names the excluded terms by size instead of in the order of the hand count."""

_in_order = reconcile_flops


def reconcile_flops(step, hand):
    r = _in_order(step, hand)
    return {**r, "excluded": sorted(r["excluded"], key=lambda n: -hand[n])}
