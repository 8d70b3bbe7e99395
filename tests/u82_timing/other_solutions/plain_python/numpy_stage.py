"""Plain Python: an event queue, bit masks, and programs that are run with their timers in them."""

import heapq
import itertools
import math
import statistics


def _checked(ops, sync=0, times=True):
    seen, works = set(), set()
    if not 0 <= sync < math.inf:
        raise ValueError("sync")
    for op in ops:
        name, stream = op["name"], op["stream"]
        if name in seen:
            raise ValueError(f"{name} twice")
        after, waits = list(op.get("after", ())), op.get("waits", ())
        if times:
            for key in ("launch", "device"):
                if not 0 <= op.get(key, 0) < math.inf:
                    raise ValueError(f"{key} of {name}")
        if stream is None and (after or (times and op.get("device", 0))):
            raise ValueError(f"{name} has no stream")
        if any(other not in works for other in after):
            raise ValueError(f"after of {name}")
        if stream is not None:
            works.add(name)
        if isinstance(waits, str):
            if waits != "all":
                raise ValueError(f"waits of {name}")
        elif any(other not in works for other in waits):
            raise ValueError(f"waits of {name}")
        seen.add(name)


def simulate(ops, sync=1):
    ops = list(ops)
    _checked(ops, sync)
    handed, queues, end, start = [], {}, {}, {}
    events, order = [], itertools.count()  # (time, number, name of the work that ends)
    rows, host = {}, 0

    def begin_ready(now):
        """Start whatever stands first in its stream and waits for nothing any more."""
        for queue in queues.values():
            while queue and queue[0]["name"] not in start:
                op, handed_at = queue[0], at[queue[0]["name"]]
                if any(other not in end for other in op.get("after", ())):
                    break
                first = max([handed_at, *(end[o] for o in op.get("after", ()))])
                first = max(first, last.get(op["stream"], 0))
                start[op["name"]] = first
                heapq.heappush(events, (first + op.get("device", 0), next(order), op["name"]))

    def finish(until=None):
        """Let works end until one named is over, or all are."""
        begin_ready(host)
        while events and (until is None or until not in end):
            time, _, name = heapq.heappop(events)
            end[name] = time
            stream = next(op["stream"] for op in handed if op["name"] == name)
            last[stream] = max(last.get(stream, 0), time)
            queues[stream].pop(0)
            begin_ready(time)

    at, last = {}, {}
    for op in ops:
        called = host
        host = host + op.get("launch", 0)
        if op["stream"] is not None:
            handed.append(op)
            at[op["name"]] = host
            queues.setdefault(op["stream"], []).append(op)
        waits = op.get("waits", ())
        if len(waits):
            names = [o["name"] for o in handed] if isinstance(waits, str) else list(waits)
            for name in names:
                finish(name)
            host = max([host, *(end[name] for name in names)]) + sync
        rows[op["name"]] = {"called": called, "returned": host}
    finish()
    for name, row in rows.items():
        row["start"], row["end"] = start.get(name), end.get(name)
    device = max(end.values(), default=0)
    return {"ops": rows, "host": host, "device": device, "total": max(host, device)}


def races(ops):
    ops = list(ops)
    _checked(ops, times=False)
    number = {op["name"]: i for i, op in enumerate(ops)}
    masks, done, pairs = [], 0, []
    for i, op in enumerate(ops):
        mask = done
        for j, other in enumerate(ops[:i]):
            direct = other["stream"] is None or other["stream"] == op["stream"]
            if direct or other["name"] in op.get("after", ()):
                mask |= masks[j] | 1 << j
        masks.append(mask)
        waits = op.get("waits", ())
        if isinstance(waits, str):
            waits = [o["name"] for o in ops[: i + 1] if o["stream"] is not None]
        for name in waits:
            done |= masks[number[name]] | 1 << number[name]
        for j, other in enumerate(ops[:i]):
            for buffer in {*op.get("reads", ()), *op.get("writes", ())}:
                theirs = {*other.get("reads", ()), *other.get("writes", ())}
                written = buffer in op.get("writes", ()) or buffer in other.get("writes", ())
                if buffer in theirs and written and not mask >> j & 1:
                    pairs.append((other["name"], op["name"]))
                    break
    return pairs[::-1]


def measured(before, region, policy, sync=1):
    before, region = list(before), list(region)
    wait = {"stream": None, "launch": 0, "device": 0, "waits": "all"}
    if policy == "events":
        streams = list({op["stream"] for op in region} - {None})
        if len(streams) != 1:
            raise ValueError("events of one stream")
        marks = []
        for program in (before, before + region):
            run = simulate(program, sync)
            ends = [run["ops"][op["name"]]["end"] for op in program if op["stream"] == streams[0]]
            marks.append(max([run["host"], *ends]))
        return marks[1] - marks[0]
    at_start, at_end, within = {
        "naive": (0, 0, 0), "start_only": (1, 0, 0), "end_only": (0, 1, 0), "honest": (1, 1, 0),
        "every_op": (1, 0, 1),
    }.get(policy, (None, None, None))  # fmt: skip
    if at_start is None:
        raise ValueError(policy)
    mark = {"stream": None}
    program = [*before] + [{**wait, "name": ("start",)}] * at_start + [{**mark, "name": ("begin",)}]
    for i, op in enumerate(region):
        program += [op] + [{**wait, "name": ("within", i)}] * within
    program += [{**wait, "name": ("end",)}] * at_end + [{**mark, "name": ("finish",)}]
    rows = simulate(program, sync)["ops"]
    return rows["finish",]["called"] - rows["begin",]["called"]


def overlap_makespan(n, copy, compute, buffers=2):
    if n < 0 or buffers < 1:
        raise ValueError("n or buffers")
    lists = []
    for times in (copy, compute):
        lists.append([times] * n if isinstance(times, int | float) else list(times))
        if len(lists[-1]) != n or any(not 0 <= time < math.inf for time in lists[-1]):
            raise ValueError("times")
    ops = []
    for i, (one, other) in enumerate(zip(*lists, strict=True)):
        after = [("use", i - buffers)] if i >= buffers else []
        ops.append({"name": ("copy", i), "stream": "copy", "device": one, "after": after})
        ops.append({"name": ("use", i), "stream": "main", "device": other, "after": [("copy", i)]})
    whole = simulate(ops, 0)["device"]
    serial = sum(map(sum, lists))
    return {"serial": serial, "overlapped": whole, "idle": whole - sum(lists[1]),
            "speedup": serial / whole if whole else 1}  # fmt: skip


def summarize(samples, warmup=0):
    samples = [float(sample) for sample in samples]
    if not 0 <= warmup < len(samples):
        raise ValueError("warmup")
    if not all(0 <= sample < math.inf for sample in samples):
        raise ValueError("samples")
    del samples[:warmup]
    n = len(samples)
    if n == 1:
        q1, middle, q3, drift = samples * 3 + [1.0]
    else:
        q1, middle, q3 = statistics.quantiles(samples, n=4, method="inclusive")
        first, second = (
            statistics.median(part) for part in (samples[: n // 2], samples[(n + 1) // 2 :])
        )
        drift = second / first if first else (math.inf if second > 0 else 1.0)
    return {"n": n, "median": middle, "q1": q1, "q3": q3, "iqr": q3 - q1, "drift": drift}


def bottleneck(ops, sync=1):
    for op in ops:
        if op["stream"] is not None and op.get("kind") not in {"compute", "copy"}:
            raise ValueError("kind")
    total, savings = simulate(ops, sync)["total"], {}
    for word in ("launch", "compute", "copy", "sync"):
        less = [dict(op) for op in ops]
        for op in less:
            if word == "launch":
                op["launch"] = 0
            elif word == "sync":
                op.pop("waits", None)
            elif op.get("kind") == word:
                op["device"] = 0
        savings[word] = total - simulate(less, sync)["total"]
    if max(savings.values()) <= 0:
        raise ValueError("no time")
    return {"total": total, "savings": savings,
            "bound": sorted(savings, key=lambda word: -savings[word])[0]}  # fmt: skip
