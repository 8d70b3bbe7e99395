"""Chooses between two results, one of which has an infinite gradient for zeros.

check = "8.8.h/unit_ball_has_the_same_gradient"
stage = "torch"
says = "A gradient is NaN where the input is zero: the side that is not taken divides by 0, and 0 times infinity is NaN. Choose the divisor instead."
"""


def unit_ball(x):
    length = x.norm()
    return torch.where(length > 1, x / length, x * 1)
