"""Looks at an entry first, which a tensor without any does not have."""

_any = where_safe


def where_safe(function, x, keep, safe, other):
    x.max()
    return _any(function, x, keep, safe, other)
