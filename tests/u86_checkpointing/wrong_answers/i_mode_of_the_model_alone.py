"""Measures a copy whose blocks are all in the mode of the model."""

_each_in_its_own = _private


def _private(model, segments):
    mine, run = _each_in_its_own(model, segments)
    mine.train(model.training)
    return mine, run
