"""Times as tensors of no dimension."""

_reference_p = closed_book_step


def closed_book_step(trace_path):
    r = _reference_p(trace_path)
    return {
        **r,
        "phases": {n: torch.tensor(v, dtype=torch.float64) for n, v in r["phases"].items()},
    }
