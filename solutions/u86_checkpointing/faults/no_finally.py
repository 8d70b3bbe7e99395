"""Puts the generator back only if nothing was raised.

check = "8.6.b/an_error_passes_and_the_generator_stands"
stage = "numpy"
says = "After an error the generator stays where the replay was interrupted. What must happen in any case belongs into a finally."
"""


def replay(rng, state, function):
    now = rng.bit_generator.state
    rng.bit_generator.state = state
    result = function()
    rng.bit_generator.state = now
    return result
