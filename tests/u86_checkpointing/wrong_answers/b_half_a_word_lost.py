"""Puts back all but the half of a number that is left over from a draw of 32 bits."""


def replay(rng, state, function):
    now = rng.bit_generator.state
    rng.bit_generator.state = {**state, "has_uint32": 0} if "has_uint32" in state else state
    try:
        return function()
    finally:
        rng.bit_generator.state = now
