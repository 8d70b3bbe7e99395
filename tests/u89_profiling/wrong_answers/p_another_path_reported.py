"""Reports a path where no trace is."""

_right_path = closed_book_step


def closed_book_step(trace_path):
    return {**_right_path(trace_path), "trace": "/nowhere/trace.json"}
