"""Sorts only the rows that are not split by shape."""

_sorted = operator_table


def operator_table(prof, by_shape=False):
    rows = _sorted(prof, by_shape)
    return sorted(rows, key=lambda r: r["name"]) if by_shape else rows
