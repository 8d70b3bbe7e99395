"""Measures a copy in training mode."""

_in_its_mode = _private


def _private(model, segments):
    mine, run = _in_its_mode(model, segments)
    mine.train()
    return mine, run
