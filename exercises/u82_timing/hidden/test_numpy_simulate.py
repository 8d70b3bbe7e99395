"""Hidden checks of simulate (8.2.a) against a scheduler that lives every microsecond."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refusals

from .lived import lived, op_of, random_program, told, wait_of
from .programs import BAD_TIMES, good_program, plain_values, with_bad_references, with_bad_times

RUN = ("ops", "host", "device", "total")
ROW = ("called", "returned", "start", "end")


def _same_run(expect, got, want, ops):
    """Hold one run against the truth, what comes first in time first."""
    words = f"the program {told(ops)}"
    expect.keys(got, RUN, what=f"the result for {words}")
    expect.keys(got["ops"], want["ops"], what=f"ops of {words}")
    for name, row in want["ops"].items():
        expect.keys(got["ops"][name], ROW, what=f"{name} of {words}")
        mine = {key: got["ops"][name][key] for key in ROW}
        expect.close(mine, row, rtol=1e-9, what=f"{name} of {words}", unit="us")
    for key in RUN[1:]:
        expect.close(got[key], want[key], rtol=1e-9, what=f"{key} of {words}", unit="us")


@check("8.2.a", row="timing", level="pass")
def test_the_host_runs_ahead_of_a_stream(student, draw, expect):
    """The host pays launches and goes on; the work of a stream runs one op at a time, in order."""
    launch, work = draw.integer(2, 9), draw.integer(20, 60)
    for launches, works in (([launch] * 4, [work] * 4), ([work] * 4, [launch] * 4),
                            (draw.integers(1, 9, 5), draw.integers(1, 9, 5))):  # fmt: skip
        ops = [
            op_of(f"k{i}", "main", a, b)
            for i, (a, b) in enumerate(zip(launches, works, strict=True))
        ]
        (got,) = plain_values(student, expect, "simulate", [((ops,), {})])
        _same_run(expect, got, lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_streams_wait_for_each_other_and_the_host_does_not(student, draw, expect):
    """Streams run side by side; `after` delays work on the device and never the host."""
    long = draw.integer(50, 90)
    ops = [
        op_of("copy", "side", 3, long), op_of("other", "main", 3, 10),
        op_of("use", "main", 3, 10, after=["copy"]), op_of("behind", "main", 3, 5),
        op_of("beside", "side", 3, 5), op_of("both", "third", 3, 5, after=["behind", "beside"]),
    ]  # fmt: skip
    (got,) = plain_values(student, expect, "simulate", [((ops,), {})])
    _same_run(expect, got, lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_what_a_wait_costs_the_host(student, draw, expect):
    """The host waits for exactly what it is told to, and each wait costs `sync` in itself."""
    for sync in (0, draw.integer(3, 9)):
        for waits in ("all", ["first"], ["own"], ["first", "own"]):
            ops = [
                op_of("first", "main", 2, draw.integer(20, 40)), op_of("side", "side", 2, 90),
                op_of("own", "main", 2, draw.integer(5, 9), waits=waits),
                op_of("next", "main", 2, 4),
                wait_of("again"), wait_of("nothing left"), op_of("last", None, 7),
            ]  # fmt: skip
            (got,) = plain_values(student, expect, "simulate", [((ops, sync), {})])
            _same_run(expect, got, lived(ops, sync), ops)
    (got,) = plain_values(student, expect, "simulate", [((ops,), {})])
    _same_run(expect, got, lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_random_programs_against_a_scheduler(student, draw, expect):
    """Random programs over three streams end when a brute-force scheduler says."""
    programs = [random_program(draw, draw.integer(1, 14)) for _ in range(40)]
    programs.sort(key=len)  # so that the first one that fails is easy to follow
    calls = [((ops, draw.integer(0, 3)), {}) for ops in programs]
    values = plain_values(student, expect, "simulate", calls)
    for (arguments, _), got in zip(calls, values, strict=True):
        _same_run(expect, got, lived(*arguments), arguments[0])


@check("8.2.a", row="timing", level="pass")
def test_programs_with_little_in_them(student, draw, expect):
    """No op at all, missing keys, no time at all and times that are no integers are allowed."""
    half = draw.integer(1, 9) + 0.5
    bare = [{"name": "k", "stream": "main"}, {"name": "host", "stream": None}]
    waits = [{"name": "only", "stream": None, "waits": "all"}]
    calls = [(([],), {}), ((bare,), {}), ((waits, 4), {})]
    empty, bare_run, waited = plain_values(student, expect, "simulate", calls)
    expect.equal(empty, {"ops": {}, "host": 0, "device": 0, "total": 0}, what="an empty program")
    _same_run(expect, bare_run, lived(bare), bare)
    _same_run(expect, waited, lived(waits, 4), waits)
    ops = [op_of("a", "main", half, 4 * half), op_of("b", "main", half, half, waits=["b"])]
    (got,) = plain_values(student, expect, "simulate", [((ops, half), {})])
    expect.keys(got, RUN, what="the result for times that are no integers")
    expect.close(
        got["host"], 7 * half, rtol=1e-9, what="host, times that are no integers", unit="us"
    )


@check("8.2.a", row="timing", level="pass")
def test_programs_that_make_no_sense(student, draw, expect):
    """Impossible times, doubled names and references to what was not handed over are refused."""
    programs = with_bad_times() | with_bad_references()
    cases = [(why, (ops,), {}) for why, ops in programs.items()]
    for word, value in BAD_TIMES.items():
        cases.append((f"if sync is {word}", (good_program(), value), {}))
    refusals(student, expect, "simulate", cases)
