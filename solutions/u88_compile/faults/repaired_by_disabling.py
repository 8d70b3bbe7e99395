"""Repairs by taking the function away from the compiler.

check = "8.8.m/closed_book"
stage = "torch"
says = "The repaired function is not compiled at all: no graph, and so no break."
"""


def closed_book_repair(_right=closed_book_repair):
    answer = _right()
    hidden = torch.compiler.disable(answer["broken"])
    return {**answer, "repaired": lambda x: hidden(x)}
