"""Looks at record_shapes to know whether memory was recorded: zeros stand for what was not measured."""


def operator_table(prof, by_shape=False):
    if by_shape and not prof.record_shapes:
        raise ValueError("no shapes")
    rows = [
        {
            "name": e.key,
            "shapes": e.input_shapes if by_shape else None,
            "count": e.count,
            "self_us": e.self_cpu_time_total,
            "total_us": e.cpu_time_total,
            "device_us": e.self_device_time_total,
            "self_bytes": e.self_cpu_memory_usage if prof.record_shapes else None,
            "total_bytes": e.cpu_memory_usage if prof.record_shapes else None,
        }
        for e in prof.key_averages(group_by_input_shape=by_shape)
    ]
    return sorted(rows, key=lambda r: (-r["self_us"], r["name"]))
