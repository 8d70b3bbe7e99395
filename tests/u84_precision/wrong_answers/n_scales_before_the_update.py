"""Notes the scale before update."""

_true = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    answer = _true(steps, bad_step, growth_interval)
    return {**answer, "scales": [1024.0, *answer["scales"][:-1]]}
