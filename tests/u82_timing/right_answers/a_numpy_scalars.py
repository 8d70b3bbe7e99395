"""Gives NumPy scalars and a dict of another order."""

_plain = simulate


def simulate(ops, sync=1):
    run = _plain(ops, sync)
    rows = {
        name: {key: value if value is None else np.float64(value) for key, value in row.items()}
        for name, row in reversed(run["ops"].items())
    }
    return {"total": np.float64(run["total"]), "device": np.int64(run["device"]) if isinstance(run["device"], int) else run["device"], "host": run["host"], "ops": rows}
