"""Split by shape, self bytes are total bytes."""

_own_bytes = operator_table


def operator_table(prof, by_shape=False):
    rows = _own_bytes(prof, by_shape)
    return [{**r, "self_bytes": r["total_bytes"]} for r in rows] if by_shape else rows
