"""Plain Python with bisect and quantiles by rank; lists, other key order."""

import bisect


def phase_table(events, waits, warmup=0):
    steps = sorted(((e["start"], e["end"]) for e in events if e["name"] == "train_step"))
    n = len(steps)
    if len(waits) != n or not 0 <= warmup < n or any(not 0 <= w < math.inf for w in waits):
        raise ValueError("incomplete")
    cols = {
        k: [0] * n
        for k in ("residual", "optimizer", "backward", "forward", "transfer", "data_wait")
    }
    for i, w in enumerate(waits):
        cols["data_wait"][i] = w
        cols["residual"][i] = steps[i][1] - steps[i][0]
    starts = [s for s, _ in steps]
    for e in events:
        if e["name"] in ("transfer", "forward", "backward", "optimizer"):
            i = bisect.bisect_right(starts, e["start"]) - 1
            if i < 0 or e["end"] > steps[i][1]:
                raise ValueError("stray")
            d = e["end"] - e["start"]
            cols[e["name"]][i] += d
            cols["residual"][i] -= d
    whole = [w + b - a for w, (a, b) in zip(waits, steps)][warmup:]

    def q(v, p):
        v = sorted(v)
        x = p * (len(v) - 1)
        i = int(x)
        f = x - i
        return v[i] if f == 0 else v[i] * (1 - f) + v[i + 1] * f

    tot = sum(whole)
    rows = {
        k: {
            "share": sum(v[warmup:]) / tot if tot else 0,
            "p90": q(v[warmup:], 0.9),
            "p50": q(v[warmup:], 0.5),
        }
        for k, v in cols.items()
    }
    slow = sorted(
        ("data_wait", "transfer", "forward", "backward", "optimizer"), key=lambda k: -rows[k]["p50"]
    )[0]
    return {
        "slowest": slow,
        "iteration": {"p90": q(whole, 0.9), "p50": q(whole, 0.5)},
        "rows": rows,
        "steps": len(whole),
    }
