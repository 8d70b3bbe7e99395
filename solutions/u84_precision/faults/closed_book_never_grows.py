"""Builds the scaler with the default interval.

check = "8.4.n/closed_book_trace"
stage = "torch"
says = "The scale never grew: the scaler was not given the growth interval."
"""

_given_interval = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    return _given_interval(steps, bad_step, 2000)
