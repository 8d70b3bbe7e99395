"""Calls the function with the generator where it stands.

check = "8.6.b/the_same_numbers_again"
stage = "numpy"
says = "The function drew new numbers: the generator was not put back to the state that was handed in."
# the same result is looked at there
also = [
  "8.6.d/gradients_with_dropout",
]
"""


def replay(rng, state, function):
    now = rng.bit_generator.state
    try:
        return function()
    finally:
        rng.bit_generator.state = now
