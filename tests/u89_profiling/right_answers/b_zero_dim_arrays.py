"""NumPy scalars, arrays of no dimension, extra keys."""

_reference_b = phase_table


def phase_table(events, waits, warmup=0):
    t = _reference_b(tuple(events), np.asarray(waits, dtype=np.float64), warmup)
    rows = {
        n: {
            "p50": np.array(r["p50"]),
            "p90": np.float64(r["p90"]),
            "share": np.float64(r["share"]),
            "mean": np.float64(0),
        }
        for n, r in t["rows"].items()
    }
    return {
        "steps": np.int64(t["steps"]),
        "rows": rows,
        "iteration": {k: np.array(v) for k, v in t["iteration"].items()},
        "slowest": t["slowest"],
        "warmup": warmup,
    }
