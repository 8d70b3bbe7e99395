"""Compares the first step on each trainer's own first batch."""

_on_the_base = _first_step


def _first_step(make, make_base, seed):
    return _on_the_base(make, make, seed)
