"""Unit 8.9, NumPy stage: read a trace, count FLOPs, decide whether a change is a gain.

Letters in shapes: B batch, T tokens of a sequence, d model width, L blocks, V vocabulary,
n samples. Units are in brackets. Only NumPy and the standard library are needed.
"""

import math
from collections import namedtuple
from fractions import Fraction
from numbers import Integral

import numpy as np

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
STEP = "train_step"

_Span = namedtuple("_Span", "name start end thread")


def _exact(x, what):
    """Return a finite number as a fraction."""
    if not math.isfinite(x):
        raise ValueError(f"{what} is {x}")
    return Fraction(int(x)) if isinstance(x, Integral) else Fraction(float(x))


def _whole(x):
    """Return a Python integer for an integer, anything else as it is."""
    return int(x) if isinstance(x, Integral) else x


def _percentile(values, q):
    """Return the q-th percentile with linear interpolation, exact."""
    ordered = sorted(values)
    place = Fraction(q * (len(ordered) - 1), 100)
    i = math.floor(place)
    j = min(i + 1, len(ordered) - 1)
    return ordered[i] + (place - i) * (ordered[j] - ordered[i])


def _spans(events):
    """Return checked events with exact times."""
    spans = [
        _Span(e["name"], _exact(e["start"], "a start"), _exact(e["end"], "an end"), e["thread"])
        for e in events
    ]
    if any(span.end < span.start for span in spans):
        raise ValueError("an event ends before it starts")
    for a in spans:
        for b in spans:
            if a.thread == b.thread and a.start < b.start < a.end < b.end:
                raise ValueError(f"{a.name} and {b.name} overlap, and neither contains the other")
    return spans


def _ancestors(spans, i):
    """Return the indices of all spans that contain span i."""
    child = spans[i]
    return [
        j
        for j, s in enumerate(spans)
        if j != i
        and s.thread == child.thread
        and s.start <= child.start
        and child.end <= s.end
        and ((s.start, s.end) != (child.start, child.end) or j < i)
    ]


def self_total(events):
    """Return self time, total time and count of each name in a trace of nested ranges.

    An event is a dict with ``name`` (text), ``start`` and ``end`` [us, int or float] and
    ``thread`` (int or text). Events come in any order. On one thread they nest: two events are
    either apart, touch, or one contains the other. Two events with the same start and end are
    parent and child, in the order of the list. Threads overlap freely and know nothing of each
    other: an event is never the child of an event on another thread.

    - *self* of an event: its duration less the durations of its direct children.
    - *self* of a name: the sum over its events.
    - *total* of a name: the time during which at least one range of that name is open, taken
      thread by thread and added over the threads. A range inside a range of the same name (direct
      or with others between) is therefore not counted twice.
    - *count* of a name: how many events it has; events of zero length count too.

    Consequence to test your code with: the self times of all names add up to the durations of the
    outermost events.

    Args:
        events: List of events; may be empty.

    Returns:
        ``{name: {"self": us, "total": us, "count": int}}``; ``{}`` for an empty list.

    Raises:
        ValueError: If an event ends before it starts, a time is NaN or infinite, or two events of
            one thread overlap without one containing the other.
    """
    spans = _spans(events)
    above = [_ancestors(spans, i) for i in range(len(spans))]

    def parent(i):
        return min(above[i], key=lambda j: (spans[j].end - spans[j].start, -j), default=None)

    length = [span.end - span.start for span in spans]
    parents = [parent(i) for i in range(len(spans))]
    own = [
        length[i] - sum(length[j] for j in range(len(spans)) if parents[j] == i)
        for i in range(len(spans))
    ]
    outer = [all(spans[j].name != spans[i].name for j in above[i]) for i in range(len(spans))]

    def row(name):
        mine = [i for i, span in enumerate(spans) if span.name == name]
        return {
            "self": float(sum(own[i] for i in mine)),
            "total": float(sum(length[i] for i in mine if outer[i])),
            "count": len(mine),
        }

    return {name: row(name) for name in dict.fromkeys(span.name for span in spans)}


def phase_table(events, waits, warmup=0):
    """Return where the time of a training loop goes, phase by phase, from a trace.

    Events are as in `self_total`. Those named ``train_step`` are the steps, in the order of their
    starts; they do not overlap. Those named ``transfer``, ``forward``, ``backward`` or
    ``optimizer`` are phases: each lies inside one ``train_step``, they do not overlap, and a name
    may occur several times in a step (add them up) or not at all (0). All other events are
    operators or notes: leave them out, also those named ``data_wait``. The wait for data is
    measured *outside* the step and comes as `waits`, one number a step in the same order.

    One iteration is the wait and its step. The *residual* of a step is its duration less its four
    phases: time that no phase accounts for, which must be shown and not be spread over the others.

    Args:
        events: List of events, in any order [us].
        waits: Data wait of each step, warm-up included [us], shape ``[n]``.
        warmup: How many of the first steps to leave out of every number.

    Returns:
        A dict with

        - ``"steps"``: how many steps were counted (int).
        - ``"rows"``: for each of ``data_wait, transfer, forward, backward, optimizer, residual`` a
          dict ``{"p50": us, "p90": us, "share": 1}``. p50 and p90 are percentiles over the counted
          steps, with linear interpolation as `np.percentile` does by default. ``share`` is the
          sum over the counted steps, divided by the sum of their iterations (0.0 if that is 0),
          so that the six shares add up to 1.
        - ``"iteration"``: ``{"p50": us, "p90": us}`` of wait plus step.
        - ``"slowest"``: the phase (not the residual) with the largest p50; of equal ones the
          first in the order above.

    Raises:
        ValueError: If the number of waits is not the number of steps, no step is left after the
            warm-up, a wait is negative or NaN, or a phase does not lie inside a step.
    """
    waits = [_exact(wait, "a wait") for wait in waits]
    if warmup < 0:
        raise ValueError("warmup is negative")
    if any(wait < 0 for wait in waits):
        raise ValueError("a wait is negative")
    wanted = [event for event in events if event["name"] in (STEP, *PHASES[1:])]
    spans = [
        _Span(e["name"], _exact(e["start"], "a start"), _exact(e["end"], "an end"), None)
        for e in wanted
    ]
    if any(span.end < span.start for span in spans):
        raise ValueError("an event ends before it starts")
    steps = sorted((s for s in spans if s.name == STEP), key=lambda s: (s.start, s.end))
    if len(steps) != len(waits):
        raise ValueError(f"{len(waits)} waits but {len(steps)} steps")
    if len(steps) <= warmup:
        raise ValueError("no step is left after the warm-up")

    def home(span):
        for i, step in enumerate(steps):
            if step.start <= span.start and span.end <= step.end:
                return i
        raise ValueError(f"a {span.name} does not lie inside a step")

    homes = [(home(span), span) for span in spans if span.name != STEP]

    def columns(i):
        times = {"data_wait": waits[i]} | {
            name: sum((s.end - s.start for h, s in homes if h == i and s.name == name), Fraction())
            for name in PHASES[1:]
        }
        step = steps[i].end - steps[i].start
        return times | {
            "residual": step - sum(times[name] for name in PHASES[1:]),
            "iteration": waits[i] + step,
        }

    table = [columns(i) for i in range(warmup, len(steps))]
    whole = sum(row["iteration"] for row in table)

    def column(name):
        return [row[name] for row in table]

    def row(name):
        share = sum(column(name)) / whole if whole else 0
        return {
            "p50": float(_percentile(column(name), 50)),
            "p90": float(_percentile(column(name), 90)),
            "share": float(share),
        }

    return {
        "steps": len(table),
        "rows": {name: row(name) for name in (*PHASES, "residual")},
        "iteration": {
            f"p{q}": float(_percentile(column("iteration"), q)) for q in (50, 90)
        },
        "slowest": max(PHASES, key=lambda name: _percentile(column(name), 50)),
    }


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    """Return the FLOPs of one training step from its forward matrix products.

    A product of an ``[m, k]`` by a ``[k, n]`` matrix costs ``2 m k n`` FLOPs (one multiplication
    and one addition for each of ``m k n`` terms). Its backward is two such products: one gives the
    gradient of the weights, one the gradient of the input. The attention cost is handed in; its
    backward is twice its forward. Everything else (softmax, norms, activations, optimizer) is left
    out, on purpose.

    *Model FLOPs* are what the mathematics of the step needs, forward plus backward. *Hardware
    FLOPs* are what is run: model FLOPs plus what checkpointing runs a second time. Utilisation
    computed from the wrong one looks better when checkpointing is switched on.

    Sizes of real models exceed what int64 holds (9.2e18): with Python integers in, the answers are
    exact Python integers.

    Args:
        matmuls: List of ``(m, k, n)``, forward products in order; may be empty.
        attention_forward: FLOPs of the attention products in the forward [FLOP].
        recompute: ``"none"``; ``"attention"``: the attention's forward is run again in the
            backward; ``"full"``: the whole forward is run again.
        first_input_needs_grad: False if the input of the first product is data: nobody needs its
            gradient, so the first product's backward is one product instead of two. Changes
            nothing if there are no products.

    Returns:
        ``{"forward", "backward", "model", "recomputed", "hardware"}`` [FLOP].

    Raises:
        ValueError: If a size or the attention cost is negative, or `recompute` is another word.
    """
    if recompute not in ("none", "attention", "full"):
        raise ValueError(f"recompute is {recompute!r}")
    products = [tuple(map(_whole, sizes)) for sizes in matmuls]
    attention = _whole(attention_forward)
    if attention < 0 or any(size < 0 for sizes in products for size in sizes):
        raise ValueError("a size or the attention cost is negative")
    costs = [2 * m * k * n for m, k, n in products]
    forward = sum(costs) + attention
    backward = 2 * forward - (0 if first_input_needs_grad or not costs else costs[0])
    recomputed = {"none": 0, "attention": attention, "full": forward}[recompute]
    return {
        "forward": forward,
        "backward": backward,
        "model": forward + backward,
        "recomputed": recomputed,
        "hardware": forward + backward + recomputed,
    }


def transformer_step_flops(  # noqa: PLR0917 - the sizes of the formula, in its order
    L, d, T, B, V, attention="full", recompute="none"
):
    """Return the FLOPs of one training step of a GPT-like transformer.

    Each of L blocks has the products query-key-value ``[BT, d] [d, 3d]``, projection
    ``[BT, d] [d, d]``, and a network ``[BT, d] [d, 4d]``, ``[BT, 4d] [4d, d]``. The output layer
    is ``[BT, d] [d, V]``; ``V=0`` leaves it out. Looking up a token is not a product and is free.
    All gradients are needed, so backward is twice forward.

    Published numbers differ in the attention term, the two products that make and use the
    ``[T, T]`` scores. Name the convention with `attention`:

    - ``"full"``: ``4 B T^2 d`` a block, as PaLM, nanoGPT and FlopCounterMode count;
    - ``"causal"``: half of it, only what a causal mask keeps, as Kaplan et al. count;
    - ``"none"``: left out. Then the model FLOPs are the rule 6 N D, with N weights that take part
      in products and D = B T tokens.

    Args:
        L: Blocks.
        d: Model width.
        T: Tokens of a sequence.
        B: Sequences in a step.
        V: Vocabulary.
        attention: ``"full"``, ``"causal"`` or ``"none"``.
        recompute: ``"none"``; ``"attention"``: the attention term is run again in the backward;
            ``"full"``: all blocks are run again, but not the output layer.

    Returns:
        ``{"forward", "attention", "head", "backward", "model", "recomputed", "hardware"}`` [FLOP]:
        ``attention`` and ``head`` (the output layer) are the parts of ``forward``; the others are
        as in `training_flops`. Exact integers for integer sizes.

    Raises:
        ValueError: If a size is negative, or `attention` or `recompute` is another word.
    """
    if attention not in ("full", "causal", "none"):
        raise ValueError(f"attention is {attention!r}")
    if recompute not in ("none", "attention", "full"):
        raise ValueError(f"recompute is {recompute!r}")
    L, d, T, B, V = map(_whole, (L, d, T, B, V))
    if min(L, d, T, B, V) < 0:
        raise ValueError("a size is negative")
    tokens = B * T
    shapes = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    blocks = L * sum(2 * tokens * k * n for k, n in shapes)
    scores = L * {"full": 4, "causal": 2, "none": 0}[attention] * B * T * T * d
    head = 2 * tokens * d * V
    forward = blocks + scores + head
    recomputed = {"none": 0, "attention": scores, "full": blocks + scores}[recompute]
    return {
        "forward": forward,
        "attention": scores,
        "head": head,
        "backward": 2 * forward,
        "model": 3 * forward,
        "recomputed": recomputed,
        "hardware": 3 * forward + recomputed,
    }


def paired_bootstrap(a, b, seed):
    """Return how much faster b is than a, with an interval and a verdict.

    ``a[i]`` and ``b[i]`` are times of the old and of the new code measured right after one
    another, so that whatever the machine did at that moment did it to both. The statistic is the
    median of the pair ratios ``a[i] / b[i]``: above 1 means that b is faster.

    The interval is a 99 % bootstrap interval of that median: draw n *pairs* with replacement, take
    the median of their ratios, do this at least 2000 times, and take the 0.5 and 99.5 percentiles.
    The same arguments always give the same answer; NumPy's global random state is left alone.

    The verdict is the first of these that holds:

    1. ``"inconclusive"`` if there are fewer than 20 pairs,
    2. ``"gain"`` if low > 1.02,
    3. ``"slower"`` if high < 1 / 1.02,
    4. ``"null"`` if low >= 1 / 1.05 and high <= 1.05: there is no difference worth having, and
       that is a result,
    5. ``"inconclusive"`` otherwise: the noise forbids a statement.

    Args:
        a: Times of the old code [s], shape ``[n]``.
        b: Times of the new code [s], shape ``[n]``.
        seed: Integer.

    Returns:
        ``{"ratio": median ratio, "low": float, "high": float, "verdict": text}``.

    Raises:
        ValueError: If the lengths differ, there are no pairs, or a time is not finite and positive.
    """
    a, b = [float(t) for t in a], [float(t) for t in b]
    if len(a) != len(b) or not a:
        raise ValueError(f"{len(a)} old and {len(b)} new times")
    if not all(math.isfinite(t) and t > 0 for t in a + b):
        raise ValueError("a time is not finite and positive")
    ratios = np.array([old / new for old, new in zip(a, b, strict=True)])
    random = np.random.default_rng(seed)
    medians = [np.median(random.choice(ratios, len(ratios))) for _ in range(4000)]
    low, high = map(float, np.percentile(medians, [0.5, 99.5]))
    verdicts = (
        ("inconclusive", len(ratios) < 20),
        ("gain", low > 1.02),
        ("slower", high < 1 / 1.02),
        ("null", low >= 1 / 1.05 and high <= 1.05),
        ("inconclusive", True),
    )
    verdict = next(word for word, holds in verdicts if holds)
    return {"ratio": float(np.median(ratios)), "low": low, "high": high, "verdict": verdict}


def amdahl(fraction, speedup):
    """Return how much faster the whole becomes when a part of it becomes faster.

    Args:
        fraction: Share of the time that the part takes, from 0 to 1.
        speedup: How many times faster the part becomes; above 0, may be infinite. Below 1 the part
            becomes slower.

    Returns:
        Old time divided by new time; infinite if nothing is left.

    Raises:
        ValueError: If `fraction` is outside 0 to 1, `speedup` is not above 0, or one is NaN.
    """
    if not (0 <= fraction <= 1 and speedup > 0):
        raise ValueError(f"fraction {fraction} or speedup {speedup} is out of range")
    part = Fraction(fraction)
    left = 1 - part + (0 if speedup == math.inf else part / Fraction(speedup))
    return float(1 / left) if left else math.inf


def rank_targets(phases, speedup, overlapped=()):
    """Return which phase is worth speeding up: what each would gain for the whole iteration.

    Phases named in `overlapped` run beside all the others, each in a worker of its own (a loader
    that prefetches); the others run one after another. An iteration takes as long as the others
    together, or as the longest overlapped phase if that is longer.

    Args:
        phases: ``{name: time}`` [s], times of 0 or more, not all zero.
        speedup: How many times faster one phase would become; above 0, may be infinite.
        overlapped: Names of phases that run beside the others.

    Returns:
        List of pairs ``(name, gain)``, one for each phase, best first. ``gain`` is the time of the
        iteration now, divided by its time if this phase alone became `speedup` times faster
        (infinite if no time is left). Equal gains keep the order of `phases`.

    Raises:
        ValueError: If `speedup` is not above 0, a time is negative or NaN, all are 0, or
            `overlapped` names an unknown phase.
    """
    times = {name: _exact(time, name) for name, time in phases.items()}
    beside = set(overlapped)
    if not speedup > 0:
        raise ValueError(f"speedup is {speedup}")
    if any(time < 0 for time in times.values()) or not any(times.values()):
        raise ValueError("a time is negative, or all are 0")
    if beside - set(times):
        raise ValueError(f"unknown phases: {beside - set(times)}")

    def iteration(table):
        alone = sum(time for name, time in table.items() if name not in beside)
        return max([alone, *(time for name, time in table.items() if name in beside)])

    def gain(name):
        faster = 0 if speedup == math.inf else times[name] / Fraction(speedup)
        left = iteration(times | {name: faster})
        return iteration(times) / left if left else math.inf

    ranked = sorted(((name, gain(name)) for name in times), key=lambda pair: -pair[1])
    return [(name, float(value)) for name, value in ranked]


def diagnose(measurements):
    """Return what an iteration is bound by, and why.

    `measurements` describes one iteration (data wait included) after warm-up:

    ==================  ===========================================================
    ``wall``            its time [s], above 0
    ``busy``            time in which the device ran a kernel [s], at most ``wall``
    ``data_wait``       time the loop waited for the loader [s]
    ``copies``          time of host-to-device copies while no kernel ran [s]
    ``launches``        kernels launched
    ``launch_cost``     time the host needs to launch one [s]
    ``syncs``           times the host waited for the device inside the step
    ``sync_gap``        idle time of the device after one such wait [s]
    ``flops``           FLOPs the kernels ran [FLOP]
    ``bytes``           bytes the kernels read and wrote [B]
    ``peak_flops``      what the device can compute [FLOP/s], above 0
    ``peak_bandwidth``  what its memory can move [B/s], above 0
    ==================  ===========================================================

    If the device is idle for 20 % of ``wall`` or more, it is starved, and the largest of these
    (of equal ones the first) says by what:

    1. ``"input"``: ``data_wait``
    2. ``"transfer"``: ``copies``
    3. ``"launch"``: ``launches * launch_cost - busy``, or 0 if that is negative; the host needs
       longer to hand out the kernels than the device to run them
    4. ``"sync"``: ``syncs * sync_gap``

    Otherwise the kernels themselves are the limit: ``"memory"`` if ``bytes / peak_bandwidth`` is
    larger than ``flops / peak_flops``, else ``"compute"``.

    Returns:
        ``{"bound": one of the six words, "reason": text, "utilisation": busy / wall,
        "seconds": s}``. ``seconds`` is the number that decided (of the list above, or the larger
        of the two roofline times). ``reason`` is a sentence that contains the name of the
        measurement that decided: ``data_wait``, ``copies``, ``launches``, ``syncs``, ``bytes`` or
        ``flops``.

    Raises:
        KeyError: If a measurement is missing.
        ValueError: If one is negative or NaN, ``busy`` exceeds ``wall``, or the device is idle and
            all four causes are 0: then something was not measured.
    """
    names = (
        "wall busy data_wait copies launches launch_cost syncs sync_gap "
        "flops bytes peak_flops peak_bandwidth"
    ).split()
    m = {name: _exact(measurements[name], name) for name in names}
    if any(value < 0 for value in m.values()):
        raise ValueError("a measurement is negative")
    if not all(m[name] for name in ("wall", "peak_flops", "peak_bandwidth")):
        raise ValueError("wall, peak_flops and peak_bandwidth are above 0")
    if m["busy"] > m["wall"]:
        raise ValueError("busy exceeds wall")
    if (m["wall"] - m["busy"]) * 5 >= m["wall"]:
        causes = [
            ("input", "data_wait", m["data_wait"]),
            ("transfer", "copies", m["copies"]),
            ("launch", "launches", max(Fraction(), m["launches"] * m["launch_cost"] - m["busy"])),
            ("sync", "syncs", m["syncs"] * m["sync_gap"]),
        ]
        if not any(seconds for _, _, seconds in causes):
            raise ValueError("the device is idle and nothing says why: something was not measured")
        text = "The device is starved, and the largest cause is {}, with {:.3g} s."
    else:
        causes = [
            ("compute", "flops", m["flops"] / m["peak_flops"]),
            ("memory", "bytes", m["bytes"] / m["peak_bandwidth"]),
        ]
        text = "The kernels are the limit, by their {}, with {:.3g} s."
    bound, name, seconds = max(causes, key=lambda cause: cause[2])
    return {
        "bound": bound,
        "reason": text.format(name, float(seconds)),
        "utilisation": float(m["busy"] / m["wall"]),
        "seconds": float(seconds),
    }


def host_clock_table(phases, sync_after=(), steps=3):
    """Return what a host clock prints for each phase when the device works asynchronously.

    A model of one in-order stream, all times in [us]. The host runs `phases` one after another,
    `steps` times over, starting at 0 with an idle device. For each phase it

    1. reads the clock,
    2. spends ``launch`` to hand the phase's work to the device. The device starts it when the
       launch is over and all earlier work is done, and needs ``device`` for it,
    3. waits until the device has finished everything handed to it, if the phase is ``blocking`` (a
       copy from pageable memory, ``loss.item()``) or its name is in `sync_after`,
    4. reads the clock again; the difference is this phase's host time.

    Args:
        phases: List of dicts with ``name`` (all different), ``launch``, ``device`` [us] and
            ``blocking`` (bool).
        sync_after: Names of phases after which the timer synchronises.
        steps: How many steps to run, 1 or more.

    Returns:
        ``{"host": {name: us}, "device": {name: us}, "blamed": name, "slowest": name}``: the host
        time of each phase in the *last* step, its ``device`` time, the phase with the largest host
        time and the phase with the largest device time (of equal ones the first).

    Raises:
        ValueError: If there are no phases, `steps` is below 1, a time is negative, or `sync_after`
            names an unknown phase.
    """
    syncs = set(sync_after)
    if not phases or steps < 1:
        raise ValueError("no phases, or fewer than one step")
    names = [phase["name"] for phase in phases]
    launch = {p["name"]: _exact(p["launch"], "a launch") for p in phases}
    device = {p["name"]: _exact(p["device"], "a device time") for p in phases}
    if min(*launch.values(), *device.values()) < 0:
        raise ValueError("a time is negative")
    if syncs - set(names):
        raise ValueError(f"unknown phases: {syncs - set(names)}")
    waits = {p["name"]: bool(p["blocking"]) or p["name"] in syncs for p in phases}

    def run():
        now = free = Fraction()
        for _ in range(steps):
            for name in names:
                before = now
                now += launch[name]
                free = max(now, free) + device[name]
                now = max(now, free) if waits[name] else now
                yield name, now - before

    host = dict(run())  # the last step overwrites the earlier ones
    return {
        "host": {name: float(host[name]) for name in names},
        "device": {name: float(device[name]) for name in names},
        "blamed": max(names, key=host.get),
        "slowest": max(names, key=device.get),
    }
