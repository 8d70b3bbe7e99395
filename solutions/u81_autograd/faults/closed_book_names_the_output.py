"""Names the largest tensor of the forward, the output included.

check = "8.1.l/closed_book_sentence"
stage = "torch"
says = "The sentence names another tensor than the largest saved one. The output of the mlp is saved by nobody, and of equal ones it is the first."
"""

_saved_closed_book = closed_book


def closed_book(widths, batch):
    answer = _saved_closed_book(widths, batch)
    place = max(range(len(widths)), key=lambda number: (widths[number], number))
    name = f"hidden_{place}" if place else "input"
    return {**answer, "sentence": f"The largest saved tensor is {name}."}
