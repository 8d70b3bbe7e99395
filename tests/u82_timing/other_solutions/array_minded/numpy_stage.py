"""Array-minded: longest paths in matrices, boolean closures, running maxima."""

import numpy as np

NEVER = -np.inf


def _program(ops, sync=0, times=True):
    """Return the ops as tuples, checked."""
    names, works, full = [], [], []
    if not (np.isfinite(sync) and sync >= 0):
        raise ValueError("sync")
    for op in ops:
        launch, device = (op.get(key, 0) if times else 0 for key in ("launch", "device"))
        after, waits = list(op.get("after", [])), op.get("waits", [])
        if op["name"] in names:
            raise ValueError("a name twice")
        if not np.all(np.isfinite([launch, device])) or min(launch, device) < 0:
            raise ValueError("a time")
        if op["stream"] is None and (device or after):
            raise ValueError("no stream")
        if not set(after) <= set(works):
            raise ValueError("after")
        names.append(op["name"])
        if op["stream"] is not None:
            works.append(op["name"])
        waits = list(works) if isinstance(waits, str) and waits == "all" else waits
        if isinstance(waits, str) or not set(waits) <= set(works):
            raise ValueError("waits")
        blocks = bool(len(waits)) or (isinstance(op.get("waits"), str))
        full.append((op["name"], op["stream"], launch, device, after, list(waits), blocks))
    return full


def simulate(ops, sync=1):
    program = _program(ops, sync)
    n = len(program)
    # four moments an op: called, launched, start, end; and returned. Longest path to each.
    names = ("called", "launched", "start", "end", "returned")
    moment = {(i, what): 5 * i + k for i in range(n) for k, what in enumerate(names)}
    edges, place, last = [], {}, {}
    for i, (name, stream, launch, device, after, waits, blocks) in enumerate(program):
        if i:
            edges.append((moment[i - 1, "returned"], moment[i, "called"], 0))
        edges.append((moment[i, "called"], moment[i, "launched"], launch))
        place[name] = i
        if stream is not None:
            edges.append((moment[i, "launched"], moment[i, "start"], 0))
            edges.append((moment[i, "start"], moment[i, "end"], device))
            edges += [(moment[place[o], "end"], moment[i, "start"], 0) for o in after]
            if stream in last:
                edges.append((moment[last[stream], "end"], moment[i, "start"], 0))
            last[stream] = i
        cost = sync if blocks else 0
        edges.append((moment[i, "launched"], moment[i, "returned"], cost))
        edges += [(moment[place[o], "end"], moment[i, "returned"], cost) for o in waits]
    time = np.full(5 * n, 0.0)
    while True:  # Bellman and Ford, upwards
        new = time.copy()
        for one, other, length in edges:
            new[other] = max(new[other], new[one] + length)
        if np.array_equal(new, time):
            break
        time = new
    rows, ends = {}, [0.0]
    for name, i in place.items():
        on_device = program[i][1] is not None
        rows[name] = {what: time[moment[i, what]] if on_device or what in ("called", "returned")
                      else None for what in ("called", "returned", "start", "end")}  # fmt: skip
        ends += [time[moment[i, "end"]]] if on_device else []
    host = time[-1] if n else 0.0
    return {"ops": rows, "host": host, "device": max(ends), "total": max(host, *ends)}


def races(ops):
    ops = list(ops)
    program = _program(ops, times=False)
    n = len(ops)
    place = {row[0]: i for i, row in enumerate(program)}
    # marks: work of op i at i, host's going on after op i at n + i
    sure = np.zeros((2 * n, 2 * n), dtype=bool)
    for i, (_, stream, _, _, after, waits, _) in enumerate(program):
        sure[[place[o] for o in after], i] = True
        sure[[place[o] for o in waits], n + i] = True
        later = np.arange(i + 1, n)
        sure[n + i, later] = sure[n + i, n + later] = True
        for j in later:
            sure[i, j] |= stream is None or stream == program[j][1]
    for _ in range(max(1, int(np.ceil(np.log2(2 * n + 1))))):
        sure |= (sure.astype(int) @ sure.astype(int)) > 0
    buffers = sorted({b for op in ops for key in ("reads", "writes") for b in op.get(key, [])})
    writes = np.array([[b in op.get("writes", []) for b in buffers] for op in ops], dtype=int)
    reads = np.array([[b in op.get("reads", []) for b in buffers] for op in ops], dtype=int)
    if not buffers:
        return []
    touches = (writes @ (writes + reads).T + reads @ writes.T) > 0
    pairs = np.argwhere(np.triu(touches & ~sure[:n, :n], 1))
    return [[ops[i]["name"], ops[j]["name"]] for i, j in pairs]


def measured(before, region, policy, sync=1):
    before, region = list(before), list(region)
    counter = iter(range(10**6))
    wait = lambda: {"name": f"\0{next(counter)}", "stream": None, "waits": "all"}  # noqa: E731
    programs = {
        "naive": ([], region), "start_only": ([wait()], region),
        "end_only": ([], [*region, wait()]), "honest": ([wait()], [*region, wait()]),
        "every_op": ([wait()], [one for op in region for one in (op, wait())]),
    }  # fmt: skip
    if policy == "events":
        streams = {op["stream"] for op in region if op["stream"] is not None}
        if len(streams) != 1:
            raise ValueError("streams")
        # a mark is an op without work, in its stream
        mark = lambda: {"name": f"\0{next(counter)}", "stream": next(iter(streams))}  # noqa: E731
        begin, end = mark(), mark()
        rows = simulate([*before, begin, *region, end], sync)["ops"]
        return rows[end["name"]]["end"] - rows[begin["name"]]["end"]
    if policy not in programs:
        raise ValueError(policy)
    start, rest = programs[policy]
    return (simulate([*before, *start, *rest], sync)["host"]
            - simulate([*before, *start], sync)["host"])  # fmt: skip


def overlap_makespan(n, copy, compute, buffers=2):
    if n < 0 or buffers < 1:
        raise ValueError("n or buffers")
    copy, compute = (np.asarray(t, dtype=float) for t in (copy, compute))
    copy, compute = (np.full(n, t) if t.ndim == 0 else t for t in (copy, compute))
    both = np.concatenate([copy, compute])
    if len(copy) != n or len(compute) != n or not np.all(np.isfinite(both)) or np.any(both < 0):
        raise ValueError("times")
    copied, used = np.zeros(n + 1), np.zeros(n + buffers)  # index 0, and the first `buffers`, free
    for i in range(n):
        copied[i + 1] = max(copied[i], used[i]) + copy[i]
        used[i + buffers] = max(copied[i + 1], used[i + buffers - 1]) + compute[i]
    end, serial = used[-1] if n else 0.0, both.sum()
    return {"serial": serial, "overlapped": end, "idle": end - compute.sum(),
            "speedup": serial / end if end else 1.0}  # fmt: skip


def summarize(samples, warmup=0):
    samples = np.array(samples, dtype=np.float64)
    if warmup < 0 or warmup >= samples.size or not np.all((samples >= 0) & np.isfinite(samples)):
        raise ValueError("samples or warmup")
    kept = samples[warmup:]
    ordered = np.sort(kept)
    q1, middle, q3 = np.interp(np.array([0.25, 0.5, 0.75]) * (kept.size - 1),
                               np.arange(kept.size), ordered)  # fmt: skip
    drift, half = 1.0, kept.size // 2
    if half:
        first, second = np.median(kept[:half]), np.median(kept[kept.size - half :])
        if first:
            drift = second / first
        elif second:
            drift = np.inf
    return {"n": kept.size, "median": middle, "q1": q1, "q3": q3, "iqr": q3 - q1, "drift": drift}


WORDS = ("launch", "compute", "copy", "sync")


def bottleneck(ops, sync=1):
    kinds = {op.get("kind") for op in ops if op["stream"] is not None}
    if not kinds <= {"compute", "copy"}:
        raise ValueError("kind")

    def total(word):
        changed = []
        for op in map(dict, ops):
            if word in ("launch", "sync"):
                op.pop({"launch": "launch", "sync": "waits"}[word], None)
            elif op.get("kind") == word:
                op.pop("device", None)
            changed.append(op)
        return simulate(changed, sync)["total"]

    whole = simulate(ops, sync)["total"]
    savings = np.array([whole - total(word) for word in WORDS])
    if not savings.max() > 0:
        raise ValueError("no time at all")
    return {"bound": WORDS[savings.argmax()], "total": whole,
            "savings": dict(zip(WORDS, savings, strict=True))}  # fmt: skip
