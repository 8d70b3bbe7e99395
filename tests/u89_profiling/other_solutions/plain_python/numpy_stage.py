"""Another solution: recursion, sweeps and the standard library, no arrays."""

# ruff: noqa
# left as a student would hand it in

import math
import random
import statistics
from fractions import Fraction

PHASES = ["data_wait", "transfer", "forward", "backward", "optimizer"]


def self_total(events):
    result = {}
    for event in events:
        if math.isnan(event["start"] + event["end"]) or math.isinf(event["start"] + event["end"]):
            raise ValueError("not a time")
        if event["end"] < event["start"]:
            raise ValueError("backwards")
        result[event["name"]] = dict(count=0, total=0, self=0)

    def descend(group, above):
        """Return how long the outermost ranges of a group are, after entering all of them."""
        outermost = 0
        while group:
            parent, group = group[0], group[1:]
            inside = [e for e in group if e["start"] < parent["end"]]
            if any(e["end"] > parent["end"] for e in inside):
                raise ValueError("ranges cross")
            length = parent["end"] - parent["start"]
            deeper = descend(inside, [*above, parent["name"]])
            row = result[parent["name"]]
            row["count"] += 1
            row["self"] += length - deeper
            row["total"] += 0 if parent["name"] in above else length
            outermost += length
            group = group[len(inside) :]
        return outermost

    for thread in {str(e["thread"]) for e in events}:
        group = [e for e in events if str(e["thread"]) == thread]
        descend(sorted(group, key=lambda e: (e["start"], e["start"] - e["end"])), [])
    return result


def _percentiles(values):
    values = sorted(values)
    if len(values) == 1:
        return {"p90": float(values[0]), "p50": float(values[0])}
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    return {"p90": float(tenths[8]), "p50": float(tenths[4])}


def phase_table(events, waits, warmup=0):
    steps = [e for e in events if e["name"] == "train_step"]
    steps.sort(key=lambda e: e["start"])
    if len(steps) != len(waits) or len(steps) <= warmup or warmup < 0:
        raise ValueError("steps, waits and warm-up do not fit")
    table = []
    used = 0
    for step, wait in zip(steps, waits):
        if not 0 <= wait < float("inf"):
            raise ValueError("wait")
        row = dict.fromkeys(PHASES, 0)
        row["data_wait"] = wait
        for event in events:
            inside = step["start"] <= event["start"] and event["end"] <= step["end"]
            if event["name"] in PHASES[1:] and inside:
                row[event["name"]] += event["end"] - event["start"]
                used += 1
        length = step["end"] - step["start"]
        row["residual"] = (
            length - row["transfer"] - row["forward"] - row["backward"] - row["optimizer"]
        )
        row["iteration"] = length + wait
        table.append(row)
    if used != sum(e["name"] in PHASES[1:] for e in events):
        raise ValueError("a phase outside")
    table = table[warmup:]
    total = sum(row["iteration"] for row in table)
    rows = {}
    for name in ["residual", *reversed(PHASES)]:
        column = [row[name] for row in table]
        rows[name] = {"share": sum(column) / total if total else 0.0} | _percentiles(column)
    slowest = PHASES[0]
    for name in PHASES:
        if rows[name]["p50"] > rows[slowest]["p50"]:
            slowest = name
    return {
        "slowest": slowest,
        "rows": rows,
        "steps": len(table),
        "note": "extra keys are fine",
        "iteration": _percentiles([row["iteration"] for row in table]),
    }


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    forward, backward = attention_forward, 2 * attention_forward
    if attention_forward < 0:
        raise ValueError("negative")
    for index, (m, k, n) in enumerate(matmuls):
        if m < 0 or k < 0 or n < 0:
            raise ValueError("negative")
        product = 2 * int(m) * int(k) * int(n)
        forward += product
        backward += product if index == 0 and not first_input_needs_grad else 2 * product
    if recompute == "none":
        again = 0
    elif recompute == "attention":
        again = attention_forward
    elif recompute == "full":
        again = forward
    else:
        raise ValueError(recompute)
    return dict(
        hardware=forward + backward + again,
        recomputed=again,
        model=forward + backward,
        backward=backward,
        forward=forward,
    )


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    if attention not in ("full", "causal", "none"):
        raise ValueError(attention)
    if any(size < 0 for size in (L, d, T, B, V)):
        raise ValueError("negative")
    tokens = B * T
    matrices = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    block = sum(2 * tokens * rows * columns for rows, columns in matrices)
    pair = B * (2 * T * d * T + 2 * T * T * d)
    pair = {"full": pair, "causal": pair // 2, "none": 0}[attention]
    core = training_flops([(tokens, d, V)], L * (block + pair), recompute)
    again = {"none": 0, "attention": L * pair, "full": L * (block + pair)}[recompute]
    core.update(attention=L * pair, head=2 * tokens * d * V, recomputed=again)
    core["hardware"] = core["model"] + again
    return core


def paired_bootstrap(a, b, seed):
    if len(a) != len(b) or not len(a):
        raise ValueError("no pairs")
    if not all(0 < time < math.inf for time in [*a, *b]):
        raise ValueError("no times")
    ratios = [old / new for old, new in zip(a, b)]
    generator = random.Random(seed)
    medians = sorted(
        statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(2000)
    )
    low, high = medians[9], medians[-10]
    if len(ratios) < 20:
        word = "inconclusive"
    elif low > 1.02:
        word = "gain"
    elif high * 1.02 < 1:
        word = "slower"
    elif low * 1.05 >= 1 and high <= 1.05:
        word = "null"
    else:
        word = "inconclusive"
    return {"verdict": word, "high": high, "low": low, "ratio": statistics.median(ratios)}


def amdahl(fraction, speedup):
    if math.isnan(fraction) or math.isnan(speedup) or fraction < 0 or fraction > 1 or speedup <= 0:
        raise ValueError("no")
    saved = fraction * (1 - 1 / speedup)
    return math.inf if saved == 1 else 1.0 / (1.0 - saved)


def rank_targets(phases, speedup, overlapped=()):
    if not speedup > 0 or any(not time >= 0 for time in phases.values()):
        raise ValueError("no")
    for name in overlapped:
        if name not in phases:
            raise ValueError(name)

    def length(changed=None):
        row, beside = Fraction(0), [Fraction(0)]
        for name, time in phases.items():
            time = Fraction(time)
            if name == changed:
                time = Fraction(0) if math.isinf(speedup) else time / Fraction(speedup)
            if name in overlapped:
                beside.append(time)
            else:
                row += time
        return max(row, max(beside))

    if length() == 0:
        raise ValueError("nothing takes time")
    pairs = []
    for name in phases:
        after = length(name)
        pairs.append([name, float(length() / after) if after else math.inf])
    pairs.sort(key=lambda pair: pair[1], reverse=True)
    return pairs


def diagnose(measurements):
    m = measurements
    names = (
        "wall busy data_wait copies launches launch_cost syncs sync_gap flops bytes "
        "peak_flops peak_bandwidth"
    )
    for name in names.split():
        if not m[name] >= 0:
            raise ValueError(name)
    if m["busy"] > m["wall"] or 0 in (m["wall"], m["peak_flops"], m["peak_bandwidth"]):
        raise ValueError("busy")
    share = m["busy"] / m["wall"]
    if 1 - share >= 0.2:
        table = [
            ("input", m["data_wait"], "data_wait"),
            ("transfer", m["copies"], "copies"),
            ("launch", m["launches"] * m["launch_cost"] - m["busy"], "launches"),
            ("sync", m["syncs"] * m["sync_gap"], "syncs"),
        ]
    else:
        table = [
            ("compute", m["flops"] / m["peak_flops"], "flops"),
            ("memory", m["bytes"] / m["peak_bandwidth"], "bytes"),
        ]
    best = table[0]
    for candidate in table[1:]:
        if candidate[1] > best[1]:
            best = candidate
    if best[1] <= 0 and 1 - share >= 0.2:
        raise ValueError("no cause was measured")
    reason = f"Look at {best[2]}: {best[1]} s."
    return {"reason": reason, "seconds": best[1], "bound": best[0], "utilisation": share}


def host_clock_table(phases, sync_after=(), steps=3):
    names = [phase["name"] for phase in phases]
    if not names or steps < 1 or any(name not in names for name in sync_after):
        raise ValueError("no")
    if min(min(phase["launch"], phase["device"]) for phase in phases) < 0:
        raise ValueError("negative")
    clock, backlog = 0, 0
    for _ in range(steps):
        host = {}
        for phase in phases:
            spent = phase["launch"]
            backlog = max(0, backlog - phase["launch"]) + phase["device"]
            if phase["blocking"] or phase["name"] in sync_after:
                spent, backlog = spent + backlog, 0
            clock += spent
            host[phase["name"]] = spent
    work = [phase["device"] for phase in phases]
    times = list(host.values())
    return {
        "device": dict(zip(names, work)),
        "host": host,
        "slowest": names[work.index(max(work))],
        "blamed": names[times.index(max(times))],
    }
