"""Uses operator.attrgetter and float tables; a missing device column falls back to 0."""

import operator


def operator_table(prof, by_shape=False):
    if by_shape and not prof.record_shapes:
        raise ValueError("record_shapes was off")
    get = operator.attrgetter("key", "count", "self_cpu_time_total", "cpu_time_total")
    out = []
    for e in prof.key_averages(by_shape):
        n, c, s, t = get(e)
        out.append(
            {
                "name": n,
                "count": c,
                "shapes": e.input_shapes if by_shape else None,
                "self_us": s,
                "total_us": t,
                "device_us": getattr(e, "self_device_time_total", 0) or 0,
                "self_bytes": (e.self_cpu_memory_usage if prof.profile_memory else None),
                "total_bytes": (e.cpu_memory_usage if prof.profile_memory else None),
            }
        )
    return sorted(out, key=lambda r: (-r["self_us"], r["name"], str(r["shapes"])))
