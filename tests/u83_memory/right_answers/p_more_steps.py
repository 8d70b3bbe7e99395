"""Runs more steps, and says more than was asked."""

_ro = closed_book_memory


def closed_book_memory(widths, batch):
    _ro(widths, batch)
    found = _ro(widths, batch)
    return {**found, "note": "forward and backward were smaller", "widths": list(widths)}
