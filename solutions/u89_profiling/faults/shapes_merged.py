"""Puts all calls of an operator into one row.

check = "8.9.l/two_shapes_are_two_rows"
stage = "torch"
says = "The two shapes are one row. It takes record_shapes=True in the profile and group_by_input_shape=True in the averages."
"""

_split_operator_table = operator_table


def operator_table(prof, by_shape=False):
    _split_operator_table(prof, by_shape)
    rows = _split_operator_table(prof)
    return [{**row, "shapes": []} for row in rows] if by_shape else rows
