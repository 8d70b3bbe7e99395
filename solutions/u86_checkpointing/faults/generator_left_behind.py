"""Leaves the generator where the second run has ended.

check = "8.6.b/nobody_notices"
stage = "numpy"
says = "The generator was left where the replay ended. Everything that is drawn afterwards repeats numbers that were drawn already."
# the same result is looked at there
also = [
  "8.6.d/the_generator_is_not_moved",
]
"""


def replay(rng, state, function):
    now = rng.bit_generator.state
    rng.bit_generator.state = state
    try:
        return function()
    except BaseException:
        rng.bit_generator.state = now
        raise
