"""A chain of ifs; reason with capitals and numbers; NumPy scalars; extra keys."""


def diagnose(measurements):
    w, b, dw, c, l, lc, s, sg, f, by, pf, pb = (
        measurements[k]
        for k in (
            "wall",
            "busy",
            "data_wait",
            "copies",
            "launches",
            "launch_cost",
            "syncs",
            "sync_gap",
            "flops",
            "bytes",
            "peak_flops",
            "peak_bandwidth",
        )
    )
    vals = np.array([w, b, dw, c, l, lc, s, sg, f, by, pf, pb], dtype=np.float64)
    if np.isnan(vals).any() or (vals < 0).any() or b > w or 0 in (w, pf, pb):
        raise ValueError("no")
    u = np.float64(b) / w
    if 1 - u >= 0.2:
        causes = np.array([dw, c, max(0.0, l * lc - b), s * sg])
        if not causes.any():
            raise ValueError("nothing")
        i = int(causes.argmax())
        return {
            "bound": ["input", "transfer", "launch", "sync"][i],
            "reason": f"{['data_wait', 'copies', 'launches', 'syncs'][i]} is the largest of four: {causes[i]}",
            "utilisation": u,
            "seconds": causes[i],
            "idle": 1 - u,
        }
    tm, tc = by / pb, f / pf
    if tm > tc:
        return {
            "bound": "memory",
            "reason": f"moving {by} bytes takes longer than the arithmetic",
            "utilisation": u,
            "seconds": tm,
        }
    return {
        "bound": "compute",
        "reason": f"{f} flops at the peak take {tc} s",
        "utilisation": u,
        "seconds": tc,
    }
