"""What the check files of unit 8.6 share: segments by their definition, and steps of cut models."""

from __future__ import annotations

from itertools import pairwise

from grader.checks.watched import watched

KIB = 1024
RESULTS = ("output", "input", "gradients", "buffers", "state")
WORDS = {
    "output": "output",
    "input": "gradient of the input",
    "gradients": "gradients",
    "buffers": "buffers after the step",
    "state": "state of torch's generator after the step",
    "found": "gradients by torch.autograd.grad",
}


def spans_of(n, k):
    """Return the spans by their definition: n - k (n // k) of them are one longer, at the end."""
    edges = [0]
    for place in range(k):
        edges.append(edges[-1] + n // k + (1 if place >= k - n % k else 0))
    return list(pairwise(edges))


def second_runs(case):
    """Return the blocks that a backward runs again, in order: the last segment first."""
    spans = reversed(spans_of(case["n"], case["segments"]))
    return [place for start, end in spans for place in range(start, end)]


def model_case(draw, function="checkpointed", **more):
    """Return a case: a model that is cut unevenly, and its input."""
    n = draw.integer(4, 5)
    return {
        "function": function,
        "n": n,
        "segments": draw.choice([k for k in (2, 3) if n % k]),
        "d": 8,
        "h": 12,
        "batch": 6,
        "seed": draw.integer(1, 10**6),
        **more,
    }


def same_step(student, reference, expect, case, name, *, keys=RESULTS, probe="stepped"):
    """Expect a step through the student's code to leave what the plain step leaves."""
    seen, plain = watched(student, expect, probe, case), reference.run("plain_step", case)
    for key in keys:
        expect.equal(seen[key], plain[key], what=f"{WORDS[key]} ({name})")
    return seen


def cannot_be_cut(student, draw, expect, function):
    """Expect numbers of segments that cannot be to be refused."""
    n = draw.integer(2, 4)
    for blocks, segments in ((n, 0), (n, n + 1), (n, -1), (0, 1)):
        case = model_case(draw, function, n=blocks, segments=segments)
        kinds = student.run("refused", case)
        note = f"{function} must raise ValueError for {segments} segments of {blocks} blocks."
        expect.that("ValueError" in str(kinds).split(), note, str(kinds) or "no error")
