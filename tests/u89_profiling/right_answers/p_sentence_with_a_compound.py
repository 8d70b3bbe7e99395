"""A sentence in which another phase's name is part of a longer word."""

_reference_p = closed_book_step


def closed_book_step(trace_path):
    r = _reference_p(trace_path)
    big = max(r["phases"], key=r["phases"].get)
    return {
        **r,
        "sentence": f"The result is straightforward: {big} takes the largest part of train_step.",
    }
