"""Sorts a list of causes; a stable sort keeps the first of equals."""


def diagnose(measurements):
    names = "wall busy data_wait copies launches launch_cost syncs sync_gap flops bytes peak_flops peak_bandwidth".split()
    m = {n: measurements[n] for n in names}
    if any(not m[n] >= 0 for n in names) or m["busy"] > m["wall"]:
        raise ValueError
    if 0 in (m["wall"], m["peak_flops"], m["peak_bandwidth"]):
        raise ValueError
    if m["busy"] <= 0.8 * m["wall"]:
        c = [
            ("input", "data_wait", m["data_wait"]),
            ("transfer", "copies", m["copies"]),
            ("launch", "launches", max(0, m["launches"] * m["launch_cost"] - m["busy"])),
            ("sync", "syncs", m["syncs"] * m["sync_gap"]),
        ]
    else:
        c = [
            ("compute", "flops", m["flops"] / m["peak_flops"]),
            ("memory", "bytes", m["bytes"] / m["peak_bandwidth"]),
        ]
    w, n, s = sorted(c, key=lambda t: -t[2])[0]
    if s == 0 and len(c) == 4:
        raise ValueError
    return {
        "bound": w,
        "reason": "because of " + n,
        "utilisation": m["busy"] / m["wall"],
        "seconds": s,
    }
