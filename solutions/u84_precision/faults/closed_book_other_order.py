"""Names clip before unscale.

check = "8.4.n/closed_book_order"
stage = "torch"
says = "The sentence has the calls in another order than scale, backward, unscale, clip, step, update."
"""

_right_order = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    answer = _right_order(steps, bad_step, growth_interval)
    return {**answer, "order": "scale, backward, clip, unscale, step and update"}
