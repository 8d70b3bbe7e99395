"""Puts the generator back to the old state, not to where it stood."""


def replay(rng, state, function):
    rng.bit_generator.state = state
    try:
        return function()
    finally:
        rng.bit_generator.state = state
