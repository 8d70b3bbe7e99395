"""Gives a view of a short vector's own memory."""

_right_ball = unit_ball


def unit_ball(x):
    return _right_ball(x) if torch.compiler.is_compiling() or x.norm() > 1 else x.view_as(x)
