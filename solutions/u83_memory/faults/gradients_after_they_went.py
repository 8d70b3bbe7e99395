"""Measures the gradients after zero_grad.

check = "8.3.p/closed_book"
stage = "torch"
says = "The gradients were measured after zero_grad() had dropped them. Measure between the backward and the update."
"""

_timely_closed_book = closed_book_memory


def closed_book_memory(widths, batch):
    found = _timely_closed_book(widths, batch)
    return {**found, "measured": {**found["measured"], "gradients": 0}}
