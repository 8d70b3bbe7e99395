"""Reports 0 bytes where memory was not recorded.

check = "8.9.l/not_measured_is_not_zero"
stage = "torch"
says = "Zero bytes stand where nothing was measured. Somebody will conclude that the operator allocates nothing."
"""

_none_operator_table = operator_table


def operator_table(prof, by_shape=False):
    rows = _none_operator_table(prof, by_shape)
    sizes = ("self_bytes", "total_bytes")
    return [{**row, **{key: row[key] or 0 for key in sizes}} for row in rows]
