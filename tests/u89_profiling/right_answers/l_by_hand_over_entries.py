"""Reads the entries one by one; refuses by looking at the shapes themselves; extra keys."""


def operator_table(prof, by_shape=False):
    entries = list(prof.key_averages(group_by_input_shape=bool(by_shape)))
    if by_shape and not any(e.input_shapes for e in entries):
        raise ValueError("no shapes recorded")
    rows = []
    for e in entries:
        memory = prof.profile_memory
        rows.append(
            dict(
                count=int(e.count),
                name=str(e.key),
                shapes=[list(s) for s in e.input_shapes] if by_shape else None,
                total_us=float(e.cpu_time_total),
                self_us=float(e.self_cpu_time_total),
                device_us=float(e.self_device_time_total),
                total_bytes=int(e.cpu_memory_usage) if memory else None,
                self_bytes=int(e.self_cpu_memory_usage) if memory else None,
                mean_us=e.cpu_time,
            )
        )
    rows.sort(key=lambda r: r["name"])
    rows.sort(key=lambda r: r["self_us"], reverse=True)
    return rows
