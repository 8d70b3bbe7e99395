"""Gives back what was returned as an array."""

import numpy as np

_as_is = replay


def replay(rng, state, function):
    return np.array(_as_is(rng, state, function))
