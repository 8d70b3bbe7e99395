"""Leaves the trace unexported.

check = "8.9.p/closed_book"
stage = "torch"
says = "The file is empty. A profile has to be exported, once, after its block has ended."
# nothing at all can be seen in it
also = ["8.9.p/closed_book_step_is_whole_and_warm", "8.9.p/closed_book_work_in_its_range", "8.9.p/closed_book_trace_is_of_training"]
"""

_whole_closed_book = closed_book_step


def closed_book_step(trace_path):
    answer = _whole_closed_book(trace_path)
    Path(trace_path).write_text("", encoding="utf-8")
    return answer
