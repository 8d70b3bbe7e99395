"""Hidden checks of 8.1.g: reports held against an instrument, and what they leave alone."""

from __future__ import annotations

import math

from grader.checks import check

RECORD = ["shape", "dtype", "bytes", "storage", "storage_bytes", "kind"]
ITEM = {"float32": 4, "float64": 8, "bfloat16": 2, "int64": 8, "bool": 1}
KINDS = ["parameter", "input", "activation"]


def _report(student, expect, case):
    """Return a report after looking at its form."""
    report = student.run("reported", case)
    expect.that(report is not None, "saved_report must return two things: (output, report).")
    expect.keys(report, ["records", "packs", "bytes"], what="the report")
    records = report["records"]
    fine = isinstance(records, list)
    expect.that(fine, "records must be a list of dicts.")
    for record in records:
        expect.keys(record, RECORD, what="a record")
        shape = record["shape"]
        fine = isinstance(shape, list) and all(isinstance(size, int) for size in shape)
        expect.that(fine, "The shape of a record must be a list of int.")
        fine = isinstance(record["dtype"], str) and isinstance(record["storage"], int)
        expect.that(fine, "dtype must be text, and storage an int.")
    expect.keys(report["bytes"], KINDS, what="bytes")
    expect.equal(report["packs"], len(records), what="packs, against the number of records,")
    return report


def _storages(records):
    """Return size, first shape, dtype and number of saves of each storage, in order."""
    found = {}
    for record in records:
        row = found.setdefault(
            record["storage"], [record["storage_bytes"], record["shape"], record["dtype"], 0]
        )
        row[3] += 1
    return list(found.values())


def _held(student, reference, expect, case, what):
    report = _report(student, expect, case)
    want = reference.run("instrumented", case)
    saves = sum(times for *_, times in want["storages"])
    expect.equal(report["packs"], saves, what=f"packs of {what}")
    got = _storages(report["records"])
    expect.equal(len(got), len(want["storages"]), what=f"storages of {what}")
    expect.equal(got, want["storages"], what=f"[bytes, shape, dtype, saves] by storage of {what}")
    for kind in KINDS:
        label = f"{kind} bytes of {what}"
        expect.equal(report["bytes"][kind], want["bytes"][kind], what=label, unit="B")
    for record in report["records"]:
        size = math.prod(record["shape"]) * ITEM[record["dtype"]]
        expect.equal(record["bytes"], size, what=f"bytes of a record of {what}", unit="B")
    return report


def _mlp_case(draw, **more):
    widths = [draw.integer(3, 9) for _ in range(draw.integer(3, 5))]
    return {"kind": "mlp", "widths": widths, "batch": draw.integer(2, 9), "seed": draw.seed, **more}


@check("8.1.g", row="prediction", level="pass")
def test_report_of_an_mlp(student, reference, draw, expect):
    """For random mlps each save is a record and each storage counts once, frozen layers too."""
    _held(student, reference, expect, _mlp_case(draw), "an mlp")
    case = _mlp_case(draw, frozen=[0], dtype="bfloat16")
    _held(student, reference, expect, case, "an mlp of bfloat16 with a frozen layer")
    case = _mlp_case(draw, input_grad=True, dtype="float64")
    _held(student, reference, expect, case, "an mlp whose input needs its gradient")
    case = {"kind": "classes", "batch": draw.integer(2, 6), "width": draw.integer(3, 6)}
    report = _held(student, reference, expect, case, "a cross entropy")
    kinds = {record["kind"] for record in report["records"] if record["dtype"] == "int64"}
    expect.equal(sorted(kinds), ["input"], what="kind of labels that were handed in as input")


@check("8.1.g", row="prediction", level="pass")
def test_parameters_by_storage(student, reference, draw, expect):
    """A parameter is one whatever view of it was saved; what is no parameter is none."""
    n, b = draw.integer(3, 7), draw.integer(8, 12)
    case = {"kind": "norm", "width": n, "batch": b, "seed": draw.seed}
    report = _held(student, reference, expect, case, "Linear, GELU, LayerNorm and einsum")
    least = 4 * (
        2 * n + 2 * n * n
    )  # LayerNorm's weight and einsum's factor, and no Linear's weight
    fine = report["bytes"]["parameter"] >= least
    expect.that(fine, "The factor of einsum or LayerNorm's weight is not among the parameters.")
    case = {"kind": "tied", "width": n, "batch": b, "seed": draw.seed}
    report = _held(student, reference, expect, case, "one Linear used twice")
    got = report["bytes"]["parameter"]
    expect.equal(got, 4 * n * n, what="parameter bytes of the tied Linear", unit="B")


@check("8.1.g", row="prediction", level="pass")
def test_views_cost_their_storage(student, reference, draw, expect):
    """Slices of one buffer are one storage, as large as the buffer; a view has bytes of its own."""
    n = draw.integer(8, 12)
    case = {"kind": "slices", "width": n, "seed": draw.seed}
    report = _held(student, reference, expect, case, "four slices of two buffers")
    want = {"parameter": 0, "input": 4 * 40 * n, "activation": 4 * 50 * n}
    for kind in KINDS:
        got = report["bytes"][kind]
        expect.equal(got, want[kind], what=f"{kind} bytes of four slices", unit="B")


@check("8.1.g", row="prediction", level="pass")
def test_edges_of_a_report(student, reference, draw, expect):
    """Nothing is saved without gradients, an empty batch costs nothing, any iterable will do."""
    report = _report(student, expect, {"kind": "no_grad"})
    expect.equal(report["packs"], 0, what="packs under no_grad")
    expect.equal(report["bytes"], dict.fromkeys(KINDS, 0), what="bytes under no_grad")
    case = {"kind": "mlp", "widths": [3, 4, 5, 2], "batch": 0}
    report = _held(student, reference, expect, case, "an mlp on an empty batch")
    got = [report["bytes"]["input"], report["bytes"]["activation"]]
    expect.equal(got, [0, 0], what="input and activation bytes of an empty batch", unit="B")
    count = [sum(record["kind"] == kind for record in report["records"]) for kind in KINDS]
    # a weight for each Linear but the first; the input; each ReLU's output, twice
    what = "records of an mlp on an empty batch that are parameter, input, activation"
    expect.equal(count, [2, 1, 4], what=what)
    for given in ("tuple", "once"):
        case = _mlp_case(draw, given=given)
        how = "an iterator" if given == "once" else "a tuple"
        _held(student, reference, expect, case, f"an mlp whose parameters come as {how}")
    case = _mlp_case(draw, params_too=True)
    _held(student, reference, expect, case, "an mlp whose parameters are among the inputs as well")


@check("8.1.g", row="prediction", level="pass")
def test_storages_that_die(student, reference, draw, expect):
    """Storages are told apart even if one died and the next got its address."""
    case = {"kind": "dropped", "width": draw.integer(15_000, 20_000), "seed": draw.seed}
    report = _report(student, expect, case)
    expect.equal(report["packs"], 21, what="packs of 21 graphs of which 20 died")
    apart = len(_storages(report["records"])) == 21
    expect.that(apart, "Storages that followed one another at one address were taken for one.")
    got = report["bytes"]["activation"]
    expect.equal(got, 21 * 4 * case["width"], what="activation bytes of these graphs", unit="B")


@check("8.1.g", row="prediction", level="pass")
def test_results_stay_the_same_bits(student, draw, expect):
    """Output, gradients, a second backward on a kept graph and second derivatives are the same."""
    case = {"kind": "smooth", "width": draw.integer(5, 9), "seed": draw.seed, "run": "bits"}
    seen = student.run("watched_run", case)
    expect.equal(seen["runs"], 1, what="how often the function was run")
    expect.that(seen["own"], "The output is not the one that the function returned.")
    different = ", ".join(seen["different"])
    expect.that(not different, f"Under the report these are other bits than without: {different}.")


@check("8.1.g", row="prediction", level="pass")
def test_nothing_is_kept_alive(student, draw, expect):
    """Live bytes with the graph are those without hooks, and none are left when it is gone."""
    for kind in ("mlp", "smooth"):
        for backward in (True, False):
            case = {**_mlp_case(draw), "kind": kind, "width": 9, "run": "alive",
                    "backward": backward}  # fmt: skip
            seen = student.run("watched_run", case)
            (bare, bare_left), (got, left) = seen["bare"], seen["watched"]
            when = "after a backward" if backward else "without a backward"
            expect.equal(got, bare, what="live bytes of the graph", unit="B")
            expect.equal(left, bare_left, what=f"live bytes when it is gone, {when},", unit="B")


@check("8.1.g", row="prediction", level="pass")
def test_edits_in_place_are_refused(student, draw, expect):
    """An edit after the save is an error as without hooks; one before it is not."""
    for saves in draw.shuffled(["output", "input"]):
        case = {"kind": "edited", "width": 4, "run": "versions", "saves": saves, "seed": draw.seed}
        seen = student.run("watched_run", {**case, "before": 0, "after": draw.integer(1, 3)})
        note = f"The {saves} of an operator was edited after it was saved, and nobody noticed."
        expect.that(seen["refused"], note)
        seen = student.run("watched_run", {**case, "before": draw.integer(1, 3), "after": 0})
        expect.that(not seen["refused"], "An edit before the save was refused; it changes nothing.")
        expect.that(seen["equal"], "The gradient differs from that without hooks.")


@check("8.1.g", row="prediction", level="pass")
def test_hooks_are_off_afterwards(student, draw, expect):
    """An error of the function comes through as it is, and no hook stays behind."""
    seen = student.run("watched_run", {**_mlp_case(draw), "run": "raising"})
    expect.that(seen["passed"], "The error that the function raised did not come out.")
    expect.that(seen["hooks_off"], "After the error a hook is still there: saving works otherwise.")


@check("8.1.g", row="prediction", level="pass", device="cuda")
def test_dropout_mask_on_cuda(student, reference, draw, expect):
    """On CUDA a dropout saves a mask of one byte an element, and the report says so."""
    n, b = draw.integer(20, 60), draw.integer(20, 60)
    case = {"kind": "dropout", "width": n, "batch": b, "seed": draw.seed, "device": "cuda"}
    report = _held(student, reference, expect, case, "a dropout on CUDA")
    got = report["bytes"]["activation"]
    expect.equal(got, n * b, what="activation bytes of a dropout on CUDA", unit="B")
