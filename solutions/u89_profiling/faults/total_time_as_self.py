"""Reports total times as self times.

check = "8.9.l/self_and_total_of_operators"
stage = "torch"
says = "The self times are totals: an operator that only calls others seems to do their work again."
# rows split by shape have self times, too
also = ["8.9.l/two_shapes_are_two_rows"]
"""

_own_time_operator_table = operator_table


def operator_table(prof, by_shape=False):
    rows = _own_time_operator_table(prof, by_shape)
    rows = [{**row, "self_us": row["total_us"]} for row in rows]
    return sorted(rows, key=lambda row: (-row["self_us"], row["name"]))
