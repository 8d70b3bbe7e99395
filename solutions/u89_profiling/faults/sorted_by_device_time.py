"""Sorts the rows by device time.

check = "8.9.l/self_and_total_of_operators"
stage = "torch"
says = "The rows are sorted by device time. On a CPU that column is all zeros, which sorts without an error and says nothing."
# rows split by shape are sorted, too
also = ["8.9.l/two_shapes_are_two_rows"]
"""

_self_time_operator_table = operator_table


def operator_table(prof, by_shape=False):
    rows = _self_time_operator_table(prof, by_shape)
    return sorted(rows, key=lambda row: (-row["device_us"], row["name"]))
