"""Hidden checks of first_invalid and detectors (8.5.e, 8.5.g): the first bad value, who sees it."""

from __future__ import annotations

import numpy as np

from grader.checks import check

from .asked import BAD, F16, F32, F64, INF, NAN, ROW, answered, laid

# 8.5.e first_invalid


def _found(student, expect, cases):
    """Expect the find of each case ``(trace, allow, truth)``."""
    calls = [
        {"args": [trace] if allow is None else [trace, allow], "strict": True}
        for trace, allow, _ in cases
    ]
    answers = answered(student, expect, "first_invalid", calls)
    for (_, _, truth), answer in zip(cases, answers, strict=True):
        found = answer["value"]
        if truth is None:
            expect.that(found is None, "A bad value is reported where there is none.", found)
            continue
        fine = isinstance(found, list | tuple) and len(found) == 3
        expect.that(fine, "The find should be a name, an index and a kind.", found)
        expect.equal(found[0], truth[0], what="the name of the first bad array")
        expect.equal(found[2], truth[2], what="the kind of the first bad value")
        expect.equal(found[1], list(truth[1]), what="the index of the first bad value")


def _trace(draw, count=4):
    dtypes = draw.shuffled([F16, F32, F64, F32])
    return [
        [draw.name(), draw.normal((draw.integer(2, 4), draw.integer(2, 5)), dtypes[i])]
        for i in range(count)
    ]


def _spoil(draw, array, value):
    """Write a value at a random place; return the place."""
    place = tuple(draw.integer(0, n - 1) for n in array.shape)
    array[place] = value
    return place


@check("8.5.e", **ROW, level="pass")
def test_first_bad_array(student, draw, expect):
    """The first bad value is found at a random place, NaN or infinite, and later ones ignored."""
    cases = []
    for kind, value in BAD:
        trace = _trace(draw)
        number = draw.integer(0, 2)
        place = _spoil(draw, trace[number][1], value)
        for _, later in trace[number + 1 :]:
            _spoil(draw, later, draw.choice([NAN, INF]))
        cases.append((trace, None, (trace[number][0], place, kind)))
    lonely = [["all", np.ones((2, 2))], ["loss", np.array(NAN)]]
    cases.append((lonely, None, ("loss", (), "nan")))
    # the same module, called three times
    again = [["h", np.ones((2, 3))] for _ in range(3)]
    place = _spoil(draw, again[1][1], NAN)
    cases.append((again, None, ("h", place, "nan")))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_first_entry_of_an_array(student, draw, expect):
    """Of several bad entries the first in row-major order counts, whatever its kind and strides."""
    cases = []
    for how, first in zip(("columns", "reversed", "every other"), draw.shuffled(BAD), strict=True):
        array = np.ones((3, 4), F32)
        second, third = draw.shuffled([one for one in BAD if one != first])
        array[0, 2], array[1, 0], array[2, 1] = first[1], second[1], third[1]
        cases.append(([["h", laid(array, how)]], None, ("h", (0, 2), first[0])))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_allowed_masks(student, draw, expect):
    """A mask's -inf is no find where it is allowed; NaN, +inf and other arrays' -inf still are."""
    scores = draw.normal((4, 4), F32)
    scores[np.triu_indices(4, 1)] = -INF
    clean = [["scores", scores], ["weights", draw.normal((4, 4))]]
    cases = [(clean, allow, None) for allow in (["scores"], ["mask", "scores"])]
    for allow in ([], ["all scores", "scores of head 0"]):
        cases.append((clean, allow, ("scores", (0, 1), "-inf")))
    for kind, value in BAD[:2]:
        spoiled = scores.copy()
        spoiled[3, 1] = value
        cases.append(([["scores", spoiled]], ["scores"], ("scores", (3, 1), kind)))
    other = draw.normal((2, 3))
    other[1, 2] = -INF
    cases.append(([["scores", scores], ["core", other]], ["scores"], ("core", (1, 2), "-inf")))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_fine_traces(student, draw, expect):
    """Huge but finite values, integers, booleans and empty arrays are no finds."""
    trace = [
        ["huge", np.full((3, 4), 60000, F16)],
        ["both", np.array([3e38, -3e38, 3e38], F32)],
        # beyond float32
        ["wide", np.array([1e300, -1e300])],
        ["whole", np.array([[2**62, -1]])],
        ["keep", np.array([True, False])],
        ["none", np.zeros((0, 3), F32)],
        ["one", np.array(1.0)],
    ]
    _found(student, expect, [(draw.shuffled(trace), None, None), ([], None, None)])


# 8.5.g detectors


def _step(incoming, outgoing, name="MulBackward0"):
    def arrays(values):
        return [None if value is None else np.array([1.0, value], F32) for value in values]

    return {"name": name, "incoming": arrays(incoming), "outgoing": arrays(outgoing)}


@check("8.5.g", row="prediction", level="pass")
def test_what_each_detector_sees(student, draw, expect):
    """Each detector sees what it looks at, and is blind to the rest."""
    fine, scores = np.ones(3, F32), np.array([1.0, -INF], F32)
    clean = _step([1.0], [2.0, None])
    wide = {**clean, "incoming": [np.ones(2)], "outgoing": [np.full((3, 2), -1e300)]}
    cases = [
        ([], [], None, (False, False, False)),
        ([["h", fine]], [clean], None, (False, False, False)),
        ([["h", np.array([NAN])]], [clean], None, (True, False, False)),
        ([["s", scores]], [clean], ["s"], (False, False, False)),
        ([["s", scores]], [clean], None, (True, False, False)),
        ([["h", fine]], [clean, _step([2.0, None], [None, INF])], None, (False, False, True)),
        ([["h", fine]], [_step([1.0], [NAN]), clean], None, (False, True, True)),
        # a gradient that came in bad was made between the nodes: this node is a victim
        ([["h", fine]], [clean, _step([INF], [INF, None])], None, (False, False, False)),
        ([["h", fine]], [clean, _step([1.0, INF], [NAN])], None, (False, True, False)),
        ([["h", fine]], [clean, _step([NAN], [])], None, (False, False, False)),
        ([["h", np.array(INF)]], [_step([1.0], [-INF, NAN])], None, (True, True, True)),
        ([["h", fine]], [_step([1.0], [-INF])], None, (False, False, True)),
        ([["h", fine]], [_step([-INF], [-INF])], None, (False, False, False)),
        # huge and finite, in float64
        ([["h", np.full(2, 1e300)]], [wide], None, (False, False, False)),
        # names in `allow` are those of the trace
        ([["s", scores]], [_step([1.0], [-INF])], ["s", "MulBackward0"], (False, False, True)),
        # a victim, then one that makes a bad gradient of its own
        ([["h", fine]], [_step([INF], [INF]), _step([1.0], [NAN])], None, (False, True, True)),
    ]
    cases = draw.shuffled(cases)
    calls = [
        {"args": [trace, nodes] if allow is None else [trace, nodes, allow]}
        for trace, nodes, allow, _ in cases
    ]
    answers = answered(student, expect, "detectors", calls)
    for (_, _, _, truth), answer in zip(cases, answers, strict=True):
        want = dict(zip(("forward", "anomaly", "node"), truth, strict=True))
        expect.equal(answer["value"], want, what="what the detectors see")
