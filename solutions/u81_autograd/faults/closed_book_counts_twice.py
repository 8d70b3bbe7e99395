"""Predicts each hidden tensor twice.

check = "8.1.l/closed_book_counts"
stage = "torch"
says = "The prediction counts hidden tensors twice, and does not agree with what was measured."
"""

_agreeing_closed_book = closed_book


def closed_book(widths, batch):
    answer = _agreeing_closed_book(widths, batch)
    twice = 4 * batch * (widths[0] + 2 * sum(widths[1:-1]))
    return {**answer, "predicted": twice}
