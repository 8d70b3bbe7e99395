"""Writes 0 for the device time, whatever the profile has."""

_asked_l = operator_table


def operator_table(prof, by_shape=False):
    rows = _asked_l(prof, by_shape)
    total = {
        (e.key, str(e.input_shapes if by_shape else None)): e.device_time_total
        for e in prof.key_averages(group_by_input_shape=by_shape)
    }
    return [{**row, "device_us": 0} for row in rows]
