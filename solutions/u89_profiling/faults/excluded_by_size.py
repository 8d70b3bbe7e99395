"""Names the excluded terms by their size.

check = "8.9.m/the_fewest_terms_in_their_order"
stage = "torch"
says = "The excluded terms are sorted by size. In the order of the hand count they can be read beside it."
# its two terms can stand in this order by chance
also = ["8.9.m/several_terms_and_none"]
"""

_ordered_reconcile = reconcile_flops


def reconcile_flops(step, hand):
    report = _ordered_reconcile(step, hand)
    return {**report, "excluded": sorted(report["excluded"], key=lambda name: -hand[name])}
