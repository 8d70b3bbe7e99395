"""Takes what the counter counted as the hand count.

check = "8.9.m/attention_is_named_as_not_counted"
stage = "torch"
says = "The counter was taken for the truth. It has no formula for the fused attention of a CPU and counts it as nothing."
# a counter that is always right leaves no term out
also = ["8.9.m/several_terms_and_none", "8.9.m/the_fewest_terms_in_their_order"]
"""

_held_against_hand = reconcile_flops


def reconcile_flops(step, hand):
    result = _held_against_hand(step, hand)
    return {
        **result,
        "hand": result["counted"],
        "missing": 0,
        "excluded": [],
        "included": list(hand),
        "unexplained": 0,
    }
