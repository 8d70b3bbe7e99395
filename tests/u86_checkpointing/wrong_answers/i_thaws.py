"""Measures a copy whose parameters all need a gradient."""

_frozen = _private


def _private(model, segments):
    mine, run = _frozen(model, segments)
    mine.requires_grad_()
    return mine, run
