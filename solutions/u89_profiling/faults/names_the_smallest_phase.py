"""Names the smallest phase.

check = "8.9.p/closed_book"
stage = "torch"
says = "The sentence names a phase that is not the largest. Look at the totals of the four ranges."
"""

_whole_closed_book = closed_book_step


def closed_book_step(trace_path):
    answer = _whole_closed_book(trace_path)
    smallest = min(answer["phases"], key=answer["phases"].get)
    return {**answer, "sentence": f"The largest phase is {smallest}."}
