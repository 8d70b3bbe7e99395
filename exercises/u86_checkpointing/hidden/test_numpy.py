"""Hidden checks of unit 8.6, chains of layers in NumPy: bits are compared, nothing is rounded."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refused, values_of

from .cut import spans_of

SLACK = 24 * 1024
"""What Python's own objects may take beside the arrays [B]; one array of a case is 128 KiB."""


def _case(draw, **more):
    """Return a chain that is cut unevenly."""
    n = draw.integer(7, 9)
    return {
        "n": n, "segments": draw.choice([k for k in (3, 4, 5) if n % k]), "width": 64,
        "batch": 16, "dtype": "float64", "drop": 0.4, "seed": draw.integer(1, 10**6),
        "between": draw.integer(1, 9), "backward": True, **more,
    }  # fmt: skip


# 8.6.a segment_spans


@check("8.6.a", row="optimization_validity", level="pass")
def test_nearly_equal_segments(student, draw, expect):
    """Every layer is in one segment, lengths differ by at most one, the longer ones come last."""
    n = draw.integer(20, 40)
    for layers, k in ((n, draw.integer(3, 9)), (n, n), (n, 1), (1, 1), (11, 4), (12, 4)):
        got = student.numpy.segment_spans(layers, k)
        want = [list(span) for span in spans_of(layers, k)]
        expect.equal(got, want, what=f"spans of {layers} layers in {k} segments")
    # a rounded edge is right for some cuts: so all of short chains
    cuts = [(layers, k) for layers in range(1, 13) for k in range(1, layers + 1)]
    calls = [(cut, {}) for cut in draw.shuffled(cuts)]
    answers = values_of(student, expect, "segment_spans", calls)
    for (cut, _), (words, got) in zip(calls, answers, strict=True):
        expect.equal(got, [list(span) for span in spans_of(*cut)], what=words)


@check("8.6.a", row="optimization_validity", level="pass")
def test_segments_that_cannot_be(student, draw, expect):
    """No segment, more segments than layers, and a chain without layers are refused."""
    n = draw.integer(2, 9)
    refused(student, expect, "for 0 segments", "segment_spans", n, 0)
    refused(student, expect, "for a negative number of segments", "segment_spans", n, -1)
    refused(student, expect, "for more segments than layers", "segment_spans", n, n + 1)
    refused(student, expect, "for no layers", "segment_spans", 0, 1)


# 8.6.b replay


def _replay(student, draw, bits):
    case = {
        "bits": bits, "seed": draw.integer(1, 10**6), "skip": draw.integer(1, 20),
        "count": draw.integer(3, 9), "between": draw.integer(1, 20), "word": draw.name(),
    }  # fmt: skip
    return case, student.run("replayed", case)


BITS = ("PCG64", "MT19937", "Philox")


@check("8.6.b", row="optimization_validity", level="pass")
def test_the_same_numbers_again(student, draw, expect):
    """The function draws what was drawn at that state, once, and as often as it is asked to."""
    for bits in BITS:
        _, seen = _replay(student, draw, bits)
        expect.equal(seen["again"], seen["first"], what=f"numbers drawn again ({bits})")
        expect.equal(seen["called"], 1, what="calls of the function")
        expect.that(seen["same"], "replay does not return the very object that the function gives.")
        expect.equal(seen["second"], seen["first"], what="numbers drawn a third time")
        expect.that(seen["state_kept"], "The state that was handed in has been changed.")


@check("8.6.b", row="optimization_validity", level="pass")
def test_nobody_notices(student, draw, expect):
    """Afterwards the generator stands where it stood before the call."""
    for bits in BITS:
        _, seen = _replay(student, draw, bits)
        note = "The generator does not stand where it stood when replay was called."
        expect.that(not seen["moved"], note)


@check("8.6.b", row="optimization_validity", level="pass")
def test_an_error_passes_and_the_generator_stands(student, draw, expect):
    """An error of the function comes through, and the generator is put back all the same."""
    for bits in BITS:
        case, seen = _replay(student, draw, bits)
        expect.equal(seen["raised"], case["word"], what="the error that comes through")
        note = "After an error in the function the generator stands elsewhere."
        expect.that(not seen["moved_by_error"], note)


# 8.6.c chain_forward


@check("8.6.c", row="optimization_validity", level="pass")
def test_the_forward_is_the_plain_one(student, reference, draw, expect):
    """The output is that of the plain chain, each layer ran once, and drew as it came."""
    single = {"bits": "MT19937", "dtype": "float32"}
    for more in ({}, {"n": 1, "segments": 1}, single, {"tokens": 3}, {"tokens": 2, "batch": 0}):
        case = _case(draw, **{**more, "backward": False})
        seen, plain = student.run("recomputed_chain", case), reference.run("plain_chain", case)
        expect.equal(seen["y"], plain["y"], what="output of the chain")
        want = [["forward", place] for place in range(case["n"])]
        expect.equal(seen["forward"], want, what="calls of the layers")
        same = seen["state"] == plain["state"]
        expect.that(same, "After the forward the generator stands elsewhere than a plain one.")


@check("8.6.c", row="optimization_validity", level="pass")
def test_only_inputs_of_segments_are_kept(student, draw, expect):
    """Between forward and backward only the inputs of segments and the output are in memory."""
    case = _case(draw, width=128, batch=128, drop=0.3, backward=False)
    seen = student.run("recomputed_chain", case)
    expect.equal(seen["entries"], case["segments"], what="entries of boundaries")
    expect.equal(seen["caches"], 0, what="caches in memory after the forward")
    # copies of all inputs, the chain's own among them, and the output
    size = 8 * 128 * 128
    most = (case["segments"] + 1) * size + SLACK
    expect.between(seen["kept"], 0, most, what="bytes in memory after the forward", unit="B")


@check("8.6.c", row="optimization_validity", level="pass")
def test_a_chain_cannot_be_cut_like_that(student, draw, expect):
    """No segment, and more segments than layers, are refused by the forward too."""
    for segments in (0, 3):
        case = _case(draw, n=2, segments=segments, backward=False)
        kinds = student.run("refused_chain", case)
        note = f"chain_forward must raise ValueError for {segments} segments of 2 layers."
        expect.that("ValueError" in str(kinds).split(), note, str(kinds) or "no error")


# 8.6.d chain_backward


def _gradients(student, reference, expect, case, name):
    seen, plain = student.run("recomputed_chain", case), reference.run("plain_chain", case)
    for number, run in enumerate(seen["runs"]):
        again = " the second time" if number else ""
        expect.equal(run["grad"], plain["grad"], what=f"gradient of the input{again} ({name})")
        what = f"gradients of the layers{again} ({name})"
        expect.equal(run["grads"], plain["grads"], what=what)
    return seen


@check("8.6.d", row="optimization_validity", level="pass")
def test_gradients_of_a_plain_chain(student, reference, draw, expect):
    """Without random numbers the gradients are those of the plain chain, for every cut."""
    base = {"drop": 0.0}
    n = draw.integer(5, 7)
    cases = {
        "uneven segments": {},
        "one segment": {"segments": 1},
        "a segment for each layer": {"n": n, "segments": n},
        "one layer": {"n": 1, "segments": 1},
        "a batch of one": {"batch": 1},
        "an empty batch": {"batch": 0},
        "a layer used twice": {"shared": True},
        "single precision": {"dtype": "float32"},
        "three dimensions": {"tokens": 3},
    }
    for name, more in cases.items():
        seen = _gradients(student, reference, expect, _case(draw, **base, **more), name)
        expect.that(seen["kept_arguments"], "The input or its gradient has been changed.")


@check("8.6.d", row="optimization_validity", level="strong")
def test_gradients_with_dropout(student, reference, draw, expect):
    """With dropout the gradients are, bit for bit, those of the masks of the forward."""
    for bits in ("PCG64", "MT19937"):
        case = _case(draw, bits=bits, times=2)
        _gradients(student, reference, expect, case, f"dropout, {bits}")


@check("8.6.d", row="optimization_validity", level="strong")
def test_the_generator_is_not_moved(student, draw, expect):
    """After the backward the generator stands where it stood before it."""
    seen = student.run("recomputed_chain", _case(draw))
    note = "After the backward the generator stands elsewhere than before it."
    expect.that(not seen["runs"][0]["moved"], note)


@check("8.6.d", row="optimization_validity", level="pass")
def test_each_segment_is_run_once_more(student, draw, expect):
    """The last segment comes first: run again from its input, then backward, then the next."""
    case = _case(draw)
    seen = student.run("recomputed_chain", case)
    want = []
    for start, end in reversed(spans_of(case["n"], case["segments"])):
        want += [["forward", place] for place in range(start, end)]
        want += [["backward", place] for place in reversed(range(start, end))]
    calls = seen["runs"][0]["calls"]
    many = sum(1 for method, _ in calls if method == "forward")
    expect.equal(many, case["n"], what="calls of a layer's forward in the backward")
    expect.equal(calls, want, what="calls of the layers in the backward")


@check("8.6.d", row="optimization_validity", level="pass")
def test_caches_of_one_segment_at_a_time(student, draw, expect):
    """Never are more caches in memory than the longest segment has layers."""
    case = _case(draw)
    spans = spans_of(case["n"], case["segments"])
    longest = max(end - start for start, end in spans)
    seen = student.run("recomputed_chain", case)
    expect.between(seen["runs"][0]["most"], 1, longest, what="caches in memory at once")
    starts = [start for start, _ in spans]
    held = [alive for place, alive in seen["runs"][0]["held"] if place in starts]
    what = "caches in memory when a segment is about to be run again"
    expect.equal(held, [0] * len(starts), what=what)


@check("8.6.d", row="optimization_validity", level="pass")
def test_boundaries_serve_twice(student, reference, draw, expect):
    """A second backward from the same boundaries gives the same gradients."""
    seen = _gradients(student, reference, expect, _case(draw, drop=0.0, times=2), "no dropout")
    expect.equal(len(seen["runs"]), 2, what="backwards")
