"""Reports times of one call instead of all calls when split by shape."""

_all_calls = operator_table


def operator_table(prof, by_shape=False):
    rows = _all_calls(prof, by_shape)
    if by_shape:
        rows = [
            {**r, "self_us": r["self_us"] / r["count"], "total_us": r["total_us"] / r["count"]}
            for r in rows
        ]
    return rows
