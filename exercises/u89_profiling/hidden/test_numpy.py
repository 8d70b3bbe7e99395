"""Hidden checks of unit 8.9, NumPy stage. Truths come from other algorithms than the solution's."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from grader.checks import check

ROWS = ("data_wait", "transfer", "forward", "backward", "optimizer", "residual")
MS = 1000


def _refused(student, expect, why, function, *args, error="ValueError", **kwargs):
    """Expect one call of the NumPy stage to raise `error` or a subclass of it."""
    found = student.run("calls", {"function": function, "calls": [[list(args), kwargs]]})
    answer = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}
    raised = answer.get("raised")
    refused = isinstance(raised, list) and error in raised
    seen = None if refused else raised[:1] if isinstance(raised, list) else answer.get("value")
    expect.that(refused, f"{function} must raise {error} {why}.", seen)


def _column(expect, table, names, key, what):
    """Return one column of a table of dicts, after looking at its shape."""
    expect.keys(table, names, what=what)
    for name in names:
        expect.keys(table[name], [key], what=f"{what}[{name!r}]")
    return {name: table[name][key] for name in names}


# 8.9.a self_total


def _event(name, start, end, thread=0):
    return {"name": name, "start": start, "end": end, "thread": thread}


def _nest(draw, names, start, end, thread):
    """Return random events that nest inside start..end, one level of `names` after the other."""
    if not names or end - start < 8:
        return []
    cuts = sorted(draw.integers(start, end, 4))
    events = []
    for low, high in ((cuts[0], cuts[1]), (cuts[2], cuts[3])):
        events.append(_event(names[0], low, high, thread))
        events += _nest(draw, names[1:], low, high, thread)
    return events


def _brute(events):
    """Return self and total times by walking over every stretch between two boundaries."""
    table = {e["name"]: {"self": 0, "total": 0, "count": 0} for e in events}
    for event in events:
        table[event["name"]]["count"] += 1
    for thread in {e["thread"] for e in events}:
        mine = [e for e in events if e["thread"] == thread]
        edges = sorted({e["start"] for e in mine} | {e["end"] for e in mine})
        for low, high in pairwise(edges):
            covering = [e for e in mine if e["start"] <= low and e["end"] >= high]
            if covering:
                inner = min(enumerate(covering), key=lambda p: (p[1]["end"] - p[1]["start"], -p[0]))
                table[inner[1]["name"]]["self"] += high - low
            for name in {e["name"] for e in covering}:
                table[name]["total"] += high - low
    return table


def _held(expect, got, truth):
    names = list(truth)
    expect.equal(
        sorted(map(str, got)) if isinstance(got, dict) else got,
        sorted(names),
        what="the names in the table",
    )
    for key in ("self", "total", "count"):
        want = {name: truth[name][key] for name in names}
        expect.close(
            _column(expect, got, names, key, "the table"),
            want,
            rtol=1e-9,
            what=f"{key} of each name",
            unit="" if key == "count" else "us",
        )


@check("8.9.a", row="timing", level="pass")
def test_nested_events(student, draw, expect):
    """Self times add up to the outermost ranges; totals contain what is nested inside."""
    names = [draw.name() for _ in range(3)]
    events = [_event("root", 0, 9000)]
    # three levels for certain, whatever is drawn besides
    low, high = draw.integer(100, 900), draw.integer(3000, 3900)
    events += [
        _event(names[0], low, high),
        _event(names[1], low + 50, high - 300),
        _event(names[2], low + 60, high - 700),
    ]
    events += _nest(draw, names, 4000, 8900, 0)
    events = draw.shuffled(events)
    _held(expect, student.numpy.self_total(events), _brute(events))
    expect.equal(student.numpy.self_total([]), {}, what="the table of an empty trace")


@check("8.9.a", row="timing", level="pass")
def test_threads_recursion_and_zero_length(student, draw, expect):
    """Threads do not nest in each other, a name inside itself counts once, no length is fine."""
    a, b = draw.name(), draw.name(6)
    t = draw.integer(100, 200)
    events = [
        _event("root", 0, 20 * t, 1), _event(a, t, 9 * t, 1), _event(b, 2 * t, 8 * t, 1),
        _event(a, 3 * t, 6 * t, 1), _event(a, 4 * t, 5 * t, 1),
        _event(b, 9 * t, 12 * t, 1), _event(b, 12 * t, 12 * t, 1), _event(a, 12 * t, 13 * t, 1),
        _event(a, 2 * t, 15 * t, "worker"), _event(b, 7 * t, 14 * t, "worker"),
        _event("mark", 7 * t, 7 * t, "worker"), _event("twin", 16 * t, 17 * t, 1),
        _event("shadow", 16 * t, 17 * t, 1),
    ]  # fmt: skip
    order = [int(i) for i in draw.rng.permutation(11)]
    events = [events[i] for i in order] + events[11:]  # the twins keep their order
    _held(expect, student.numpy.self_total(events), _brute(events))
    floats = [{**e, "start": e["start"] / 8, "end": e["end"] / 8} for e in events]
    _held(expect, student.numpy.self_total(floats), _brute(floats))


@check("8.9.a", row="timing", level="pass")
def test_malformed_trace(student, draw, expect):
    """A trace that cannot be true is refused instead of being turned into numbers."""
    t = draw.integer(10, 99)
    crossing = [_event("x", 0, 2 * t), _event("y", t, 3 * t)]
    _refused(student, expect, "if ranges of one thread cross", "self_total", crossing)
    _refused(
        student, expect, "if a range ends before it starts", "self_total", [_event("x", t, t - 1)]
    )
    _refused(student, expect, "if a time is NaN", "self_total", [_event("x", math.nan, t)])
    _refused(student, expect, "if a time is infinite", "self_total", [_event("x", 0, math.inf)])


# 8.9.b phase_table


def _trace(draw, durations, gap):
    """Return the events of a loop; `durations` has one dict of lists of phase times a step."""
    events, now = [], draw.integer(0, 500)
    for index, step in enumerate(durations):
        now += draw.integer(20, 90)
        if index % 2:
            events.append(_event("data_wait", now, now + 7))
            now += 7
        begin = now
        for phase, pieces in step.items():
            for piece in pieces:
                now += gap
                events.append(_event(phase, now, now + piece, 0))
                events.append(_event("aten::mm", now, now + piece // 2, 0))
                events.append(_event("aten::mm", now, now + 2 * piece, 7))
                now += piece
        now += gap
        events.append(_event("train_step", begin, now))
    return draw.shuffled(events)


def _steps(draw, count, scale=1, micro=1):
    """Return phase times of some steps; with `micro` 2 the forward comes in two pieces."""
    return [
        {
            "transfer": [draw.integer(10, 40) * scale],
            "forward": [draw.integer(200, 240) * scale for _ in range(micro)],
            "backward": [draw.integer(600, 800) * scale],
            "optimizer": [draw.integer(60, 90) * scale] if index % 3 else [],
        }
        for index in range(count)
    ]


def _table(durations, gap, waits, warmup):
    """Return the true table: columns of sums, then percentiles and shares, by plain Python."""
    columns = {name: [] for name in ROWS}
    whole = []
    for step, wait in list(zip(durations, waits, strict=True))[warmup:]:
        for name in ROWS[1:5]:
            columns[name].append(sum(step[name]))
        columns["data_wait"].append(wait)
        columns["residual"].append(gap * (1 + sum(len(pieces) for pieces in step.values())))
        whole.append(sum(columns[name][-1] for name in ROWS))
    rows = {
        name: {
            "p50": _rank(values, 0.5),
            "p90": _rank(values, 0.9),
            "share": sum(values) / sum(whole),
        }
        for name, values in columns.items()
    }
    return rows, {"p50": _rank(whole, 0.5), "p90": _rank(whole, 0.9)}


def _rank(values, q):
    """Return a quantile by its definition: linear between the two neighbouring ranks."""
    ordered, place = sorted(values), q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@check("8.9.b", row="timing", level="pass")
def test_shares_and_residual(student, draw, expect):
    """Every microsecond is in one row: five phases, and a residual that is shown."""
    durations, gap = _steps(draw, 7, micro=2), draw.integer(5, 15)
    waits = draw.integers(1000, 2000, 7)
    got = student.numpy.phase_table(_trace(draw, durations, gap), waits)
    rows, _ = _table(durations, gap, waits, 0)
    expect.keys(got, ["steps", "rows", "iteration", "slowest"], what="the table")
    expect.equal(got["steps"], 7, what="steps")
    found = _column(expect, got["rows"], ROWS, "share", "rows")
    expect.close(found, {n: rows[n]["share"] for n in ROWS}, rtol=1e-9, what="share of each row")
    expect.equal(got["slowest"], "data_wait", what="slowest")


@check("8.9.b", row="timing", level="pass")
def test_warmup_left_out(student, draw, expect):
    """Slow first steps are not counted, and one slow step moves p90 but not p50."""
    warmup, count = draw.integer(2, 3), 11
    slow, usual = _steps(draw, warmup, scale=40), _steps(draw, count)
    usual[4] = _steps(draw, 1, scale=15)[0]
    durations, gap = slow + usual, draw.integer(1, 9)
    waits = [9 * MS] * warmup + draw.integers(5, 60, count)
    got = student.numpy.phase_table(_trace(draw, durations, gap), waits, warmup)
    rows, iteration = _table(durations, gap, waits, warmup)
    expect.keys(got, ["steps", "rows", "iteration", "slowest"], what="the table")
    expect.equal(got["steps"], count, what="steps")
    for key in ("p50", "p90"):
        found = _column(expect, got["rows"], ROWS[:5], key, "rows")
        want = {name: rows[name][key] for name in ROWS[:5]}
        expect.close(found, want, rtol=1e-9, what=f"{key} of each phase", unit="us")
    expect.keys(got["iteration"], ["p50", "p90"], what="iteration")
    found = {key: got["iteration"][key] for key in ("p50", "p90")}
    expect.close(found, iteration, rtol=1e-9, what="iteration", unit="us")
    expect.equal(got["slowest"], "backward", what="slowest")


@check("8.9.b", row="timing", level="pass")
def test_incomplete_measurement(student, draw, expect):
    """Waits that do not match the steps, a phase outside a step, or no step left are refused."""
    durations = _steps(draw, 3)
    events = _trace(draw, durations, 2)
    _refused(student, expect, "if a wait is missing", "phase_table", events, [1, 2])
    _refused(student, expect, "if all steps are warm-up", "phase_table", events, [1, 2, 3], 3)
    _refused(student, expect, "if a wait is NaN", "phase_table", events, [1, math.nan, 3])
    last = max(event["end"] for event in events)
    stray = [*events, _event("forward", last + 5, last + 9)]
    _refused(student, expect, "if a phase lies outside every step", "phase_table", stray, [1, 2, 3])
    empty = [_event("train_step", 5, 5)]
    got = student.numpy.phase_table(empty, [0])
    expect.keys(got, ["rows", "slowest"], what="the table of a step of no length")
    shares = _column(expect, got["rows"], ROWS, "share", "rows")
    expect.close(shares, dict.fromkeys(ROWS, 0.0), what="shares when no time passes")


# 8.9.c training_flops


def _products(draw, count):
    return [[draw.integer(1, 64), draw.integer(65, 300), draw.integer(3, 40)] for _ in range(count)]


FLOP_KEYS = ("forward", "backward", "model", "recomputed", "hardware")


def _flops(expect, got, want, keys=FLOP_KEYS):
    expect.keys(got, keys, what="the result")
    for key in keys:
        # a float within 1e-12 is the same number; an overflown int64 is not
        expect.close(got[key], want[key], rtol=1e-12, what=key, unit="FLOP")


@check("8.9.c", row="prediction", level="pass")
def test_forward_and_backward(student, draw, expect):
    """A product costs two FLOPs a term, its backward is two products, the first may be one."""
    products, attention = _products(draw, 4), draw.integer(1000, 9000)
    terms = [m * k * n for m, k, n in products]
    forward = 2 * sum(terms) + attention
    want = {"forward": forward, "backward": 2 * forward, "model": 3 * forward}
    got = student.numpy.training_flops(products, attention)
    _flops(expect, got, want, tuple(want))
    saved = 2 * terms[0]
    want = {"forward": forward, "backward": 2 * forward - saved, "model": 3 * forward - saved}
    got = student.numpy.training_flops(products, attention, first_input_needs_grad=False)
    _flops(expect, got, want, tuple(want))
    got = student.numpy.training_flops([], attention, first_input_needs_grad=False)
    _flops(expect, got, {"forward": attention, "backward": 2 * attention}, ("forward", "backward"))
    _refused(student, expect, "if a size is negative", "training_flops", [[2, -3, 4]])


@check("8.9.c", row="prediction", level="pass")
def test_recomputation_is_not_model_work(student, draw, expect):
    """Checkpointing raises the hardware FLOPs and leaves the model FLOPs alone."""
    products, attention = _products(draw, 3), draw.integer(1000, 9000)
    forward = 2 * sum(m * k * n for m, k, n in products) + attention
    for word, again in (("none", 0), ("full", forward), ("attention", attention)):
        got = student.numpy.training_flops(products, attention, word)
        expect.keys(got, FLOP_KEYS, what="the result")
        for key, size in (
            ("model", 3 * forward),
            ("recomputed", again),
            ("hardware", 3 * forward + again),
        ):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with recompute={word!r}", unit="FLOP"
            )
    _refused(
        student, expect, "if recompute is an unknown word", "training_flops", products, 0, "some"
    )


@check("8.9.c", row="prediction", level="strong")
def test_published_training_runs(student, expect):
    """The calculator gives the compute that papers have printed, to the last digit where exact."""
    block = [[1024, 768, 2304], [1024, 768, 768], [1024, 768, 3072], [1024, 3072, 768]]
    gpt2 = student.numpy.training_flops([*(block * 12), [1024, 768, 50257]], 38654705664)
    expect.keys(gpt2, FLOP_KEYS, what="the result")
    expect.equal(gpt2["backward"], 583296614400, what="backward of nanoGPT's GPT-2", unit="FLOP")
    expect.equal(gpt2["model"], 874944921600, what="step of nanoGPT's GPT-2", unit="FLOP")
    # one product of all weights with all tokens is the rule 6 N D; the table prints three digits
    davinci = student.numpy.training_flops([[300 * 10**9, 12850 * 10**6, 1]])
    expect.keys(davinci, FLOP_KEYS, what="the result")
    expect.close(davinci["model"], 2.31e22, rtol=5e-3, what="training of GPT-3 13B", unit="FLOP")
    # arXiv:2104.04473: 8 T P FLOPs with full recomputation, 84 days for a trillion parameters
    trillion = student.numpy.training_flops([[450 * 10**9, 1008 * 10**9, 1]], 0, "full")
    expect.keys(trillion, FLOP_KEYS, what="the result")
    days = trillion["hardware"] / (3072 * 163e12) / 86400
    expect.close(days, 84, rtol=0.01, what="days of Megatron's 1T run")
    # arXiv:2203.15556, Table A4, 73M: softmax within the attention cost, no output layer
    s, d, f, heads, layers = 2048, 640, 2560, 10, 10
    chinchilla = [[s, d, 3 * d], [s, d, d], [s, d, f], [s, f, d]] * layers
    cost = layers * (4 * s * s * d + 3 * heads * s * s)
    got = student.numpy.training_flops(chinchilla, cost)
    expect.keys(got, FLOP_KEYS, what="the result")
    expect.equal(got["model"], 929877196800, what="one sequence of Chinchilla 73M", unit="FLOP")


# 8.9.d transformer_step_flops


STEP_KEYS = ("attention", "head", *FLOP_KEYS)


@check("8.9.d", row="prediction", level="pass")
def test_attention_convention_is_named(student, draw, expect):
    """The three conventions differ in the attention term alone, and by a factor of two."""
    layers, d, tokens = draw.integer(2, 5), 8 * draw.integer(2, 9), draw.integer(10, 60)
    batch, vocabulary = draw.integer(2, 6), draw.integer(70, 200)
    blocks = layers * batch * tokens * 24 * d * d
    head = 2 * batch * tokens * d * vocabulary
    pair = 2 * layers * batch * tokens**2 * d
    for word, scores in (("full", 2 * pair), ("causal", pair), ("none", 0)):
        got = student.numpy.transformer_step_flops(
            layers, d, tokens, batch, vocabulary, attention=word
        )
        forward = blocks + head + scores
        expect.keys(got, STEP_KEYS, what="the result")
        for key, size in (
            ("attention", scores),
            ("head", head),
            ("forward", forward),
            ("backward", 2 * forward),
            ("model", 3 * forward),
        ):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with attention={word!r}", unit="FLOP"
            )
    _refused(
        student,
        expect,
        "if attention is an unknown word",
        "transformer_step_flops",
        layers,
        d,
        tokens,
        batch,
        vocabulary,
        "flash",
    )


@check("8.9.d", row="prediction", level="pass")
def test_what_checkpointing_runs_again(student, draw, expect):
    """Full recomputation runs the blocks again, not the output layer; the model's work stays."""
    layers, d, tokens, batch, vocabulary = draw.integer(2, 5), 32, 40, 3, draw.integer(50, 90)
    blocks = layers * batch * tokens * 24 * d * d
    head, scores = 2 * batch * tokens * d * vocabulary, 4 * layers * batch * tokens**2 * d
    model = 3 * (blocks + head + scores)
    for word, again in (("none", 0), ("attention", scores), ("full", blocks + scores)):
        got = student.numpy.transformer_step_flops(
            layers, d, tokens, batch, vocabulary, recompute=word
        )
        expect.keys(got, STEP_KEYS, what="the result")
        for key, size in (("model", model), ("recomputed", again), ("hardware", model + again)):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with recompute={word!r}", unit="FLOP"
            )


@check("8.9.d", row="prediction", level="strong")
def test_published_transformers(student, expect):
    """GPT-2, GPT-2 medium and Megatron 1.7B come out as their authors printed them."""
    gpt2 = student.numpy.transformer_step_flops(12, 768, 1024, 1, 50257)
    expect.keys(gpt2, STEP_KEYS, what="the result")
    expect.equal(gpt2["head"], 79047426048, what="output layer of nanoGPT's GPT-2", unit="FLOP")
    expect.equal(gpt2["model"], 874944921600, what="step of nanoGPT's GPT-2", unit="FLOP")
    medium = student.numpy.transformer_step_flops(24, 1024, 1024, 1, 0, attention="causal")
    expect.keys(medium, STEP_KEYS, what="the result")
    expect.equal(
        medium["forward"],
        654311424 * 1024,
        unit="FLOP",
        what="forward of GPT-2 medium after Kaplan et al.",
    )
    # arXiv:2104.04473, equation 3: 96 B s l h^2 (1 + s / 6h + V / 16lh), with recomputation
    megatron = student.numpy.transformer_step_flops(24, 2304, 2048, 512, 51200, recompute="full")
    expect.keys(megatron, STEP_KEYS, what="the result")
    expect.close(
        megatron["hardware"],
        1.5466830067924994e16,
        rtol=1e-9,
        unit="FLOP",
        what="iteration of Megatron 1.7B",
    )
    # 80 blocks of width 12288 on 3e8 tokens: above what int64 holds
    large = student.numpy.transformer_step_flops(80, 12288, 2048, 150000, 51200, "none")
    expect.keys(large, STEP_KEYS, what="the result")
    weights = 80 * 12 * 12288**2 + 12288 * 51200
    expect.close(
        large["model"],
        6 * weights * 150000 * 2048,
        rtol=1e-12,
        unit="FLOP",
        what="6 N D of a 145B model",
    )


# 8.9.e paired_bootstrap


VERDICT_KEYS = ("ratio", "low", "high", "verdict")


def _samples(draw, count, ratio, noise, drift=0.0):
    """Return paired times: the machine's mood is in both, the noise in each."""
    mood = np.exp(drift * draw.rng.standard_normal(count)) * 2e-3
    wobble = np.exp(noise * draw.rng.standard_normal(count))
    return (mood * wobble * ratio).tolist(), mood.tolist()


def _median_interval(ratios):
    """Return the 99 % bootstrap interval of the median of an odd number of ratios, without drawing.

    The median of n draws is at most the k-th smallest ratio if the majority of them is, and each
    draw is with probability k / n.
    """
    ordered, n = np.sort(ratios), len(ratios)
    j = np.arange((n + 1) // 2, n + 1)
    ways = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in j])
    p = np.arange(1, n)[:, None] / n
    at_most = np.exp(ways + j * np.log(p) + (n - j) * np.log1p(-p)).sum(axis=1)
    return tuple(ordered[np.searchsorted(at_most, q)] for q in (0.005, 0.995))


@check("8.9.e", row="optimization_validity", level="pass")
def test_ratio_and_interval(student, draw, expect):
    """The median of the pair ratios, with a 99 % interval that repeats for the same seed."""
    count, seed = 301, draw.integer(1, 10**6)
    ratio, normal = draw.uniform(1.2, 1.6), NormalDist()
    # evenly spread quantiles in random order: noise whose interval does not depend on luck
    wobble = draw.shuffled([0.06 * normal.inv_cdf((i + 0.5) / count) for i in range(count)])
    b = (2e-3 * np.exp(0.5 * draw.rng.standard_normal(count))).tolist()
    a = [time * ratio * math.exp(noise) for time, noise in zip(b, wobble, strict=True)]
    got = student.numpy.paired_bootstrap(a, b, seed)
    expect.keys(got, VERDICT_KEYS, what="the result")
    ratios = np.array(a) / np.array(b)
    expect.close(got["ratio"], float(np.median(ratios)), rtol=1e-9, what="ratio")
    low, high = _median_interval(ratios)
    expect.between(got["low"], 0, got["ratio"], what="low")
    expect.between(got["high"], got["ratio"], 1e9, what="high")
    width = (got["high"] - got["low"]) / (high - low)
    expect.that(width < 1.18, "The interval is wider than a 99 % interval of paired ratios.")
    expect.that(width > 0.86, "The interval is narrower than a 99 % interval of paired ratios.")
    again = student.numpy.paired_bootstrap(a, b, seed)
    expect.that(again == got, "The same arguments gave another answer the second time.")


@check("8.9.e", row="optimization_validity", level="strong")
def test_verdicts(student, draw, expect):
    """A gain and a loss are named, noise is never a gain, and no difference is a result."""
    cases = {
        "gain": [(100, 1.15, 0.01, 0.6), (60, 1.3, 0.05, 0.2)],
        "slower": [(100, 0.85, 0.01, 0.6)],
        "null": [(200, 1.0, 0.02, 0.6), (200, 1.008, 0.002, 0.1)],
        "inconclusive": [(40, 1.0, 0.5, 0.0), (12, 1.5, 0.01, 0.0), (1, 1.5, 0.0, 0.0)],
    }
    for verdict, shapes in cases.items():
        for count, ratio, noise, drift in shapes:
            a, b = _samples(draw, count, ratio, noise, drift)
            # put the median of the ratios where it is meant to be: far from every line
            shift = ratio / float(np.median(np.array(a) / np.array(b)))
            got = student.numpy.paired_bootstrap([x * shift for x in a], b, draw.integer(0, 99))
            expect.keys(got, VERDICT_KEYS, what="the result")
            what = f"verdict on {count} pairs with a median ratio of {ratio}, spread {noise:.1%}"
            expect.equal(got["verdict"], verdict, what=what)


@check("8.9.e", row="optimization_validity", level="pass")
def test_samples_that_are_no_pairs(student, draw, expect):
    """Unequal lengths, no samples, and times of zero, NaN or below are refused."""
    a = [1.0 + 0.01 * draw.integer(0, 9) for _ in range(25)]
    _refused(student, expect, "if a time has no partner", "paired_bootstrap", a, a[1:], 0)
    _refused(student, expect, "if there are no times", "paired_bootstrap", [], [], 0)
    for bad, word in ((0.0, "zero"), (math.nan, "NaN"), (-1.0, "negative")):
        _refused(student, expect, f"if a time is {word}", "paired_bootstrap", a, [bad, *a[1:]], 0)


# 8.9.f amdahl


@check("8.9.f", row="optimization_validity", level="pass")
def test_amdahl(student, draw, expect):
    """A part that takes 5 % of the step cannot make it more than 1.053 times faster."""
    fraction, speedup = draw.uniform(0.1, 0.9), draw.uniform(1.5, 8.0)
    want = 1 / (1 - fraction * (1 - 1 / speedup))
    for arguments, value in (
        ((fraction, speedup), want),
        ((0.05, math.inf), 1 / 0.95),
        ((0, 100), 1.0),
        ((1, 4), 4.0),
        ((0.5, 0.5), 2 / 3),
        ((1, math.inf), math.inf),
    ):
        found = student.run("calls", {"function": "amdahl", "calls": [[list(arguments), {}]]})
        expect.keys(found[0], ["value"], what=f"the answer to amdahl{arguments}")
        expect.close(found[0]["value"], value, rtol=1e-9, what=f"amdahl{arguments}")
    for bad in ((1.2, 2), (-0.1, 2), (0.5, 0), (math.nan, 2), (0.5, math.nan)):
        _refused(student, expect, f"for {bad}", "amdahl", *bad)


# 8.9.g rank_targets


def _pairs(expect, got, names):
    """Return the gains by name and the order, after looking at the shape."""
    expect.equal(len(got) if isinstance(got, list) else got, len(names), what="number of pairs")
    for pair in got:
        fine = isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
        expect.that(fine, "Each entry must be a pair (name, gain).", None if fine else pair)
    order = [name for name, _ in got]
    expect.equal(sorted(order), sorted(names), what="the names")
    return dict(got), order


@check("8.9.g", row="optimization_validity", level="pass")
def test_the_largest_phase_gains_most(student, draw, expect):
    """Phases that follow one another are worth what Amdahl says, the largest one most."""
    names = draw.shuffled(["data_wait", "forward", "backward", "optimizer"])
    sizes = [draw.integer(2, 9), draw.integer(20, 40), draw.integer(60, 90), draw.integer(120, 200)]
    phases, speedup = dict(zip(names, sizes, strict=True)), draw.uniform(2, 5)
    whole = sum(sizes)
    want = {name: 1 / (1 - size / whole * (1 - 1 / speedup)) for name, size in phases.items()}
    gains, order = _pairs(expect, student.numpy.rank_targets(phases, speedup), names)
    expect.close(gains, want, rtol=1e-9, what="gain of each phase")
    expect.equal(order, names[::-1], what="the order, best first")
    alone, _ = _pairs(expect, student.numpy.rank_targets({"forward": 3}, math.inf), ["forward"])
    expect.equal(alone["forward"], math.inf, what="gain when nothing is left")
    for bad in (({"x": -1}, 2), ({"x": 0}, 2), ({"x": 1}, 0), ({"x": 1}, 2, ["y"])):
        _refused(student, expect, f"for {bad}", "rank_targets", *bad)


@check("8.9.g", row="optimization_validity", level="strong")
def test_a_hidden_loader_gains_nothing(student, draw, expect):
    """Work that runs beside the step costs only what sticks out, and gains only that."""
    scale = draw.integer(1, 7)
    phases = {"data_wait": 30 * scale, "forward": 50 * scale, "backward": 100 * scale}
    got, order = _pairs(expect, student.numpy.rank_targets(phases, 2, ["data_wait"]), list(phases))
    want = {"data_wait": 1.0, "forward": 150 / 125, "backward": 150 / 100}
    expect.close(got, want, rtol=1e-9, what="gain of each phase beside a hidden loader")
    expect.equal(order, ["backward", "forward", "data_wait"], what="the order, best first")
    # a loader slower than the step: only the loader is worth it, until it disappears behind it
    slow = {"data_wait": 200 * scale, "forward": 50 * scale, "backward": 100 * scale}
    got, order = _pairs(expect, student.numpy.rank_targets(slow, 2, ["data_wait"]), list(slow))
    want = {"data_wait": 200 / 150, "forward": 1.0, "backward": 1.0}
    expect.close(got, want, rtol=1e-9, what="gain of each phase beside a slow loader")
    expect.equal(order, ["data_wait", "forward", "backward"], what="the order, ties as given")


# 8.9.h diagnose


def _idle_device(draw, cause):
    """Return measurements of a starved device with one clear cause."""
    busy = draw.uniform(3e-3, 4e-3)
    quiet = {
        "wall": busy * draw.uniform(2.0, 2.6), "busy": busy, "data_wait": busy * 0.05,
        "copies": busy * 0.04, "launches": draw.integer(200, 300), "launch_cost": 2e-6,
        "syncs": 2, "sync_gap": 1e-5, "flops": 1e9, "bytes": 1e6,
        "peak_flops": 1e13, "peak_bandwidth": 1e11,
    }  # fmt: skip
    loud = {
        "input": {"data_wait": busy * 0.9},
        "transfer": {"copies": busy * 0.9},
        "launch": {"launches": draw.integer(900, 1000), "launch_cost": 8e-6},
        "sync": {"syncs": draw.integer(9, 12), "sync_gap": busy * 0.09},
    }
    return {**quiet, **loud[cause]}


def _busy_device(draw, cause):
    """Return measurements of a device at work, with traps among the host's numbers."""
    busy = draw.uniform(3e-3, 4e-3)
    heavy = cause == "compute"
    return {
        "wall": busy * 1.05, "busy": busy, "data_wait": busy * 0.03, "copies": 0.0,
        # the host needs nearly as long to launch as the device to run: hidden behind the device
        "launches": 1000, "launch_cost": busy * 0.95 / 1000, "syncs": 1, "sync_gap": 1e-5,
        "flops": busy * 1e13 * (0.8 if heavy else 0.2),
        "bytes": busy * 1e11 * (0.3 if heavy else 0.9),
        "peak_flops": 1e13, "peak_bandwidth": 1e11,
    }  # fmt: skip


SIGNS = {"input": "data_wait", "transfer": "copies", "launch": "launches", "sync": "syncs",
         "compute": "flops", "memory": "bytes"}  # fmt: skip


def _decided(case, bound):
    """Return the number that decides."""
    return {
        "input": case["data_wait"],
        "transfer": case["copies"],
        "launch": case["launches"] * case["launch_cost"] - case["busy"],
        "sync": case["syncs"] * case["sync_gap"],
        "compute": case["flops"] / case["peak_flops"],
        "memory": case["bytes"] / case["peak_bandwidth"],
    }[bound]


def _diagnosed(student, expect, case: dict[str, Any], bound: str):
    got = student.numpy.diagnose(case)
    expect.keys(got, ["bound", "reason", "utilisation", "seconds"], what="the result")
    expect.equal(got["bound"], bound, what=f"what a {bound}-bound step is bound by")
    expect.close(got["utilisation"], case["busy"] / case["wall"], rtol=1e-9, what="utilisation")
    expect.close(got["seconds"], _decided(case, bound), rtol=1e-9, what="seconds", unit="s")
    named = isinstance(got["reason"], str) and SIGNS[bound] in got["reason"]
    expect.that(named, f"The reason must name the measurement that decided, {SIGNS[bound]}.",
                None if named else got["reason"])  # fmt: skip


@check("8.9.h", row="timing", level="pass")
def test_why_a_device_is_idle(student, draw, expect):
    """At 45 % utilisation the loader, copies, launches and syncs are told apart by measurement."""
    for cause in draw.shuffled(["input", "transfer", "launch", "sync"]):
        _diagnosed(student, expect, _idle_device(draw, cause), cause)
    silent = {**_idle_device(draw, "input"), "data_wait": 0, "copies": 0, "launches": 0, "syncs": 0}
    _refused(student, expect, "if nothing explains the idle device", "diagnose", silent)
    del silent["syncs"]
    _refused(student, expect, "if a measurement is missing", "diagnose", silent, error="KeyError")


@check("8.9.h", row="timing", level="pass")
def test_what_a_busy_device_does(student, draw, expect):
    """A busy device is bound by memory or by arithmetic, whatever the host is doing."""
    for cause in draw.shuffled(["compute", "memory"]):
        _diagnosed(student, expect, _busy_device(draw, cause), cause)
    case = _busy_device(draw, "compute")
    _refused(
        student,
        expect,
        "if busy is longer than wall",
        "diagnose",
        {**case, "busy": 2 * case["wall"]},
    )
    _refused(student, expect, "if a measurement is NaN", "diagnose", {**case, "copies": math.nan})


# 8.9.i host_clock_table


def _phase(name, launch, device, blocking=False):
    return {"name": name, "launch": launch, "device": device, "blocking": blocking}


def _ticks(phases, sync_after, steps):
    """Return the host times of the last step by living through every microsecond."""
    now, queue, host = 0, [], {}

    def pass_time(microseconds):
        nonlocal now
        for _ in range(microseconds):
            now += 1
            if queue:
                queue[0] -= 1
            while queue and queue[0] == 0:
                queue.pop(0)

    for _ in range(steps):
        for phase in phases:
            begin = now
            pass_time(phase["launch"])
            if phase["device"]:
                queue.append(phase["device"])
            while queue and (phase["blocking"] or phase["name"] in sync_after):
                pass_time(1)
            host[phase["name"]] = now - begin
    return host


CLOCK_KEYS = ("host", "device", "blamed", "slowest")


@check("8.9.i", row="timing", level="pass")
def test_host_times_of_an_asynchronous_device(student, draw, expect):
    """Without a synchronisation a phase costs its launch, and somebody else pays for its work."""
    names = ["transfer", "forward", "backward", "optimizer"]
    for blocking, syncs in ((False, []), (True, []), (False, ["backward"])):
        phases = [_phase(n, draw.integer(2, 9), draw.integer(20, 90)) for n in names]
        phases[0]["blocking"] = blocking
        got = student.numpy.host_clock_table(phases, syncs, 1)
        expect.keys(got, CLOCK_KEYS, what="the result")
        expect.keys(got["host"], names, what="host")
        truth = _ticks(phases, syncs, 1)
        what = f"host times (blocking copy: {blocking}, sync after {syncs})"
        expect.close(got["host"], truth, rtol=1e-9, what=what, unit="us")
        expect.close(
            got["device"],
            {p["name"]: p["device"] for p in phases},
            rtol=1e-9,
            what="device times",
            unit="us",
        )
    _refused(student, expect, "without phases", "host_clock_table", [])
    _refused(student, expect, "if sync_after names no phase", "host_clock_table", phases, ["x"])


@check("8.9.i", row="timing", level="strong")
def test_two_tables_that_differ_in_one_sync(student, draw, expect):
    """Moving one synchronisation moves the blame, while the device does the same work."""
    scale = draw.integer(3, 9)
    phases = [
        _phase("transfer", 5, 5 * scale, blocking=True), _phase("forward", 7, 250 * scale),
        _phase("backward", 13, 470 * scale), _phase("optimizer", 5, 40 * scale),
    ]  # fmt: skip
    blamed = {(): "transfer", ("optimizer",): "optimizer", ("forward",): "transfer",
              ("forward", "backward"): "backward"}  # fmt: skip
    for syncs, name in blamed.items():
        got = student.numpy.host_clock_table(phases, list(syncs), 3)
        expect.keys(got, CLOCK_KEYS, what="the result")
        place = " and ".join(syncs) or "no phase"
        expect.close(
            got["host"],
            _ticks(phases, syncs, 3),
            rtol=1e-9,
            unit="us",
            what=f"host times with a sync after {place}",
        )
        expect.equal(got["blamed"], name, what=f"blamed with a sync after {place}")
        expect.equal(got["slowest"], "backward", what=f"slowest with a sync after {place}")
