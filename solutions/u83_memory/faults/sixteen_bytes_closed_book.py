"""Predicts 16 bytes a parameter, without the counters.

check = "8.3.p/closed_book"
stage = "torch"
says = "The step counters are missing from the prediction: AdamW has one of 4 bytes for each parameter tensor."
"""

_derived_closed_book = closed_book_memory


def closed_book_memory(widths, batch):
    found = _derived_closed_book(widths, batch)
    weights = sum(n * m + m for n, m in pairwise(widths))
    return {**found, "predicted": {**found["predicted"], "optimizer": 8 * weights}}
