"""Puts the generator back after an Exception, and not after what is none."""


def replay(rng, state, function):
    now = rng.bit_generator.state
    rng.bit_generator.state = state
    try:
        result = function()
    except Exception:
        rng.bit_generator.state = now
        raise
    rng.bit_generator.state = now
    return result
