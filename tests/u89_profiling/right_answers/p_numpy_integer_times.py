"""Times as whole microseconds, NumPy integers."""

import numpy as np

_reference_p = closed_book_step


def closed_book_step(trace_path):
    r = _reference_p(trace_path)
    return {
        **r,
        "phases": {n: np.int64(round(v - 0.499)) for n, v in r["phases"].items()},
        "train_step": np.int64(round(r["train_step"] + 0.49)),
    }
