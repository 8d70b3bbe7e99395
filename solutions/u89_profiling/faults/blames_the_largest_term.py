"""Explains any gap with the largest term.

check = "8.9.m/several_terms_and_none"
stage = "torch"
says = "A gap that no term explains was put down to the largest one. Leave it unexplained: it is a mistake in one of the two counts."
# a gap that no set of terms explains is in both
also = ["8.9.m/the_fewest_terms_in_their_order"]
"""

_honest_gap = reconcile_flops


def reconcile_flops(step, hand):
    result = _honest_gap(step, hand)
    if result["unexplained"]:
        largest = max(hand, key=hand.get)
        result["excluded"] = [largest]
        result["included"] = [name for name in hand if name != largest]
        result["unexplained"] = 0
    return result
