"""Drops the branch for short vectors.

check = "8.8.h/unit_ball_on_both_sides"
stage = "torch"
says = "Short vectors were made longer: the other side of the branch is gone."
also = ["8.8.h/unit_ball_has_the_same_gradient"]
"""


def unit_ball(x):
    return x / x.norm().clamp(min=1e-12)
