"""Names the excluded terms in alphabetical order."""

_in_order = reconcile_flops


def reconcile_flops(step, hand):
    r = _in_order(step, hand)
    return {**r, "excluded": sorted(r["excluded"])}
