"""Says that every step moved the weights."""

_true = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    return {**_true(steps, bad_step, growth_interval), "stepped": [True] * steps}
