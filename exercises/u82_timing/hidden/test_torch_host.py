"""Hidden checks of unit 8.2, PyTorch stage: the host's syncs, logging, and uploads ahead of time."""

from __future__ import annotations

import math

from grader.checks import check

# 8.2.j host_syncs

SYNCS = {
    "one.item()": "item",
    "t.tolist()": "tolist",
    "t.numpy()": "numpy",
    "t.cpu()": "cpu",
    "t.nonzero()": "nonzero",
    "torch.nonzero(t)": "nonzero",
    "torch.masked_select(t, mask)": "masked_select",
    "t.unique()": "unique",
    "torch.equal(t, t)": "equal",
    "t.allclose(t)": "allclose",
    "bool(one)": "__bool__",
    "one if one > 2 else t": "__bool__",
    "float(one)": "__float__",
    "int(one)": "__int__",
    "[0, 1, 2, 3][count]": "__index__",
    "np.asarray(t)": "__array__",
    "print(one)": "__repr__",
    "str(t)": "__repr__",
    "f'{one}'": "__format__",
    "f'{one:.3f}'": "__format__",
    "t[mask]": "mask index",
    "t[t > 2]": "mask index",
    "torch.ones(6, 2)[mask, 0]": "mask index",
    "t.clone().__setitem__(mask, 0.0)": "mask index",
}
"""What waits, and the name of the sync."""

QUIET = (
    "t.sum()", "t.max()", "t[picks]", "t[1:3]", "t[None]", "t.shape", "len(t)", "t.to('cpu')",
    "t.detach()", "torch.where(mask, t, -t)", "t.mean().clamp(min=0)", "t.clone().fill_(2)",
    "t.clone().__setitem__(picks, 0.0)", "torch.stack([one, one])", "t.dim()", "t.numel()",
    "t > 2", "mask & mask", "t.index_select(0, picks)", "t.requires_grad", "one is None",
)  # fmt: skip
"""What does not wait, or what nobody can tell on a CPU."""


def _program(lines):
    """Return a program whose `step` has these lines, and the number of the first."""
    return "def step():\n" + "\n".join(f"    {line}" for line in lines) + "\n", 2


def _found(student, expect, text, what):
    seen = student.run("found_syncs", {"text": text})
    expect.equal(seen["raised"], "", what=f"what was raised ({what})")
    expect.equal(seen["modes left"], 0, what=f"modes that are still on afterwards ({what})")
    listed = isinstance(seen["syncs"], list)
    expect.that(listed, f"host_syncs must return a list ({what}).", seen["syncs"])
    for sync in seen["syncs"]:
        expect.keys(sync, ["name", "line"], what=f"a sync ({what})")
    return [[sync["name"], sync["line"]] for sync in seen["syncs"]]


@check("8.2.j", row="timing", level="pass")
def test_every_kind_of_sync_is_named(student, draw, expect):
    """Each call that waits is found once, under its name, whatever it does inside itself."""
    for code, name in draw.shuffled(list(SYNCS.items())):
        text, first = _program([code])
        found = _found(student, expect, text, f"`{code}`")
        names = [name for name, _ in found]
        expect.equal(names, [name], what=f"syncs in `{code}`")


@check("8.2.j", row="timing", level="pass")
def test_what_does_not_wait_is_not_reported(student, draw, expect):
    """Arithmetic, shapes, slices and indices that are no masks are not reported."""
    for code in draw.shuffled(QUIET):
        text, _ = _program([code])
        expect.equal(_found(student, expect, text, f"`{code}`"), [], what=f"syncs in `{code}`")


@check("8.2.j", row="timing", level="pass")
def test_syncs_come_with_their_lines(student, draw, expect):
    """In a program of many lines the syncs come in their order, each with its line."""
    lines, want = [], []
    # some calls pass through torch's own Python before they reach a watcher
    through = ["print(one)", "f'{one:.3f}'", "t.unique()", "one.item()", "t[mask]"]
    some = [draw.choice([*SYNCS, *QUIET]) for _ in range(draw.integer(8, 16))]
    for number, code in enumerate(draw.shuffled([*through, *some])):
        lines.append(code)
        if code in SYNCS:
            want.append([SYNCS[code], number + 2])
    lines += ["for _ in range(3):", "    one.item()"]
    want += [["item", len(lines) + 1]] * 3
    text, _ = _program(lines)
    expect.equal(_found(student, expect, text, "a program"), want, what="names and lines of the syncs")


@check("8.2.j", row="timing", level="pass")
def test_syncs_in_helpers_and_in_libraries(student, draw, expect):
    """A sync in a helper is at the helper's line, one inside torch at the line that calls torch."""
    parameters = draw.integer(1, 4)
    text = "\n".join(
        [
            "def helper(value):", "    return value.item()", "",
            f"weights = [torch.nn.Parameter(torch.ones(2)) for _ in range({parameters})]",
            "optimizer = torch.optim.AdamW(weights, foreach=False)",
            "for weight in weights:", "    weight.grad = torch.ones(2)", "optimizer.step()", "",
            "def step():", "    helper(one)", "    optimizer.step()", "    helper(t.sum())", "",
        ]
    )  # fmt: skip
    found = _found(student, expect, text, "helpers and an optimizer")
    inside = [["item", 12]] * parameters
    want = [["item", 2], *inside, ["item", 2]]
    expect.equal(found, want, what="syncs of a helper and of AdamW, which reads its step counters")


@check("8.2.j", row="timing", level="pass")
def test_an_error_goes_on_and_leaves_nothing_behind(student, draw, expect):
    """What the function raises goes on to the caller, and no mode stays on."""
    text, _ = _program(["one.item()", "1 / 0"])
    seen = student.run("found_syncs", {"text": text})
    expect.equal(seen["raised"], "ZeroDivisionError", what="what the function raised")
    expect.equal(seen["modes left"], 0, what="modes that are still on afterwards")


# 8.2.k quiet_training


def _lines(losses, every):
    """Return the log that is right: steps and mean of each line."""
    lines, start = [], 0
    for end in [*range(every, len(losses) + 1, every), len(losses)]:
        if end > start:
            lines.append([end, math.fsum(losses[start:end]) / (end - start)])
            start = end
    return lines


def _eighths(draw, count, low=1, high=80):
    """Return losses that every dtype can hold, whose sums of float32 are exact."""
    return [draw.integer(low, high) / 8 for _ in range(count)]


def _trained(student, expect, case, words):
    seen = student.run("trained", case)
    expect.that(not seen["refused"], f"quiet_training raised ValueError ({words}).")
    expect.equal(seen["steps"], list(range(len(case["losses"]))), what=f"batches ({words})")
    expect.equal(seen["made"], len(case["losses"]), what=f"steps that were made ({words})")
    want = _lines(case["losses"], case["every"])
    expect.equal(len(seen["lines"]), len(want), what=f"lines of the log ({words})")
    for (steps, mean, kind, _, made), line in zip(seen["lines"], want, strict=True):
        expect.equal(steps, line[0], what=f"steps of a line ({words})")
        expect.equal(made, line[0], what=f"steps made when the line was logged ({words})")
        expect.equal(kind, "float", what=f"type of the mean ({words})")
        expect.close(mean, line[1], rtol=1e-5, what=f"mean after {line[0]} steps ({words})")
    return seen


@check("8.2.k", row="timing", level="pass")
def test_the_log_is_that_of_the_loud_loop(student, draw, expect):
    """Every line has the number of steps and the mean loss since the last one, also the last."""
    for count, every in ((12, 4), (11, 4), (3, 5), (5, 1), (0, 3), (7, 7)):
        for more in ({}, {"shape": [1]}, {"graph": False}):
            case = {"losses": _eighths(draw, count), "every": every, **more}
            _trained(student, expect, case, f"{count} steps, a line every {every}")


@check("8.2.k", row="timing", level="pass")
def test_one_wait_for_each_line(student, draw, expect):
    """The host waits once for each line, right before it is logged, and never besides."""
    every, count = draw.integer(3, 6), draw.integer(20, 30)
    case = {"losses": _eighths(draw, count), "every": every}
    words = f"{count} steps, a line every {every}"
    seen = _trained(student, expect, case, words)
    expect.equal(len(seen["waits"]), len(seen["lines"]), what=f"waits of the host ({words})")
    waits = [row[3] for row in seen["lines"]]
    expect.equal(waits, list(range(1, len(waits) + 1)), what=f"waits before each line ({words})")


@check("8.2.k", row="timing", level="pass")
def test_losses_of_every_dtype_and_kind(student, draw, expect):
    """Sums of float16 do not overflow, small losses of bfloat16 are not lost, NaN and inf show."""
    big = [4096.0 * draw.integer(8, 15) for _ in range(6)]
    _trained(student, expect, {"losses": big, "every": 3, "dtype": "float16"}, "large float16")
    fine = [256.0, *[draw.integer(1, 7) / 8 for _ in range(9)]]
    _trained(student, expect, {"losses": fine, "every": 10, "dtype": "bfloat16"}, "bfloat16")
    for word, value in (("NaN", math.nan), ("inf", math.inf)):
        case = {"losses": [1.0, value, 1.0, 2.0, 3.0, 1.0], "every": 3}
        seen = student.run("trained", case)
        means = [row[1] for row in seen["lines"]]
        expect.close(means, [value, 2.0], rtol=1e-5, what=f"means with one {word} among the losses")


@check("8.2.k", row="timing", level="pass")
def test_no_loss_keeps_its_graph(student, draw, expect):
    """When a step begins, the graph of at most one earlier loss is still in memory."""
    case = {"losses": _eighths(draw, 14), "every": 5}
    seen = student.run("trained", case)
    expect.equal(len(seen["alive"]), 14, what="steps")
    most = max(seen["alive"])
    expect.that(most <= 1, f"The graphs of {most} losses were in memory at once: detach them.", most)


@check("8.2.k", row="timing", level="pass")
def test_a_line_never(student, draw, expect):
    """A line every 0 steps is refused before the first step."""
    for every in (0, -2):
        seen = student.run("trained", {"losses": _eighths(draw, 3), "every": every})
        expect.that(seen["refused"], f"quiet_training must raise ValueError for every={every}.")
        expect.equal(seen["steps"], [], what=f"steps made before it was refused (every={every})")


# 8.2.l prefetch

PLAIN = [[[50], "float32", False], [[20], "int64", False]]


def _case(draw, count, **more):
    return {"count": count, "tensors": PLAIN, "launch": 2, "link": 4, "compute": 200, **more}


def _prefetched(student, expect, case, words):
    seen = student.run("prefetched", case)
    expect.equal(len(seen["right"]), case["count"], what=f"batches that were yielded ({words})")
    return seen


@check("8.2.l", row="timing", level="pass")
def test_a_host_passes_batches_on(student, draw, expect):
    """Without an asynchronous device the batches themselves are passed on, none ahead of time."""
    for count in (0, 1, draw.integer(3, 6)):
        seen = student.run("passed_on", {"count": count})
        expect.equal(seen["same"], [True] * count, what="whether a batch is the one of the source")
        expect.equal(seen["ahead"], [0] * count, what="batches pulled ahead of time on a CPU")


@check("8.2.l", row="timing", level="pass")
def test_every_batch_arrives_whole(student, draw, expect):
    """All batches come in order, as tuples, with the values, shapes and dtypes of the host's."""
    odd = [
        [[3, 4], "float32", True], [[0, 5], "float32", False], [[1], "float16", False],
        [[], "float64", False], [[6], "bool", False],
    ]  # fmt: skip
    for count in (0, 1, 2, draw.integer(5, 8)):
        for tensors, tuples in ((PLAIN, True), (odd, False), ([], False)):
            case = _case(draw, count, tensors=tensors, tuples=tuples)
            words = f"{count} batches of {len(tensors)} tensors"
            seen = _prefetched(student, expect, case, words)
            want = [True] * count
            expect.equal(seen["right"], want, what=f"whether a batch is right ({words})")
            expect.equal(seen["kinds"], ["tuple"] * count, what=f"types of the batches ({words})")


@check("8.2.l", row="timing", level="pass")
def test_no_batch_is_used_before_it_has_arrived(student, draw, expect):
    """Work on a batch waits for its upload by an event, also where it would have arrived by luck."""
    for link, own in ((1, False), (1000, False), (4, True)):
        case = _case(draw, draw.integer(4, 7), link=link, **{"own stream": own})
        seen = _prefetched(student, expect, case, "computing with each batch")
        late = any("did not wait" in hazard for hazard in seen["hazards"])
        expect.that(not late, "A batch was used by work that does not wait for its upload.")


@check("8.2.l", row="timing", level="pass")
def test_no_memory_is_written_while_it_is_read(student, draw, expect):
    """Memory of a batch that Python dropped is not given to an upload while work still reads it."""
    for own in (False, True):
        case = _case(draw, draw.integer(6, 9), compute=draw.integer(900, 2000))
        seen = _prefetched(student, expect, {**case, "own stream": own}, "slow computation")
        early = any("memory" in hazard for hazard in seen["hazards"])
        expect.that(not early, "An upload was given memory that queued work may still be reading.")


@check("8.2.l", row="timing", level="pass")
def test_uploads_run_beside_the_computation(student, draw, expect):
    """One batch is under way while another is in use: the uploads hide, and the host never waits."""
    count, each = draw.integer(5, 8), [[[400], "float32", False]]
    for compute, link in ((draw.integer(300, 500), 16), (draw.integer(30, 60), 4)):
        case = _case(draw, count, tensors=each, compute=compute, link=link)
        seen = _prefetched(student, expect, case, "one tensor a batch")
        expect.equal(seen["waits"], 0, what="times the host waited for the device")
        ahead = [1] * (count - 1) + [0]
        expect.equal(seen["ahead"], ahead, what="batches pulled ahead when one is handed out")
        uploads = [min(i + 2, count) for i in range(count)]
        expect.equal(seen["uploads"], uploads, what="uploads started when a batch is handed out")
        longest, first = max(compute, 1600 // link), min(compute, 1600 // link)
        # launches and the wait at the end, by which two right orders may differ
        slack = 2 * case["launch"] * (count + 1) + 1
        bound = first + count * longest + slack
        expect.that(seen["total"] <= bound, "The uploads do not run beside the computation: each "
                    "batch waits for more than its own upload.", seen["total"])  # fmt: skip


@check("8.2.l", row="timing", level="pass")
def test_the_current_stream_stays_the_callers(student, draw, expect):
    """Where a batch is handed out, work goes into the stream that the caller had chosen."""
    for own in (False, True):
        case = _case(draw, draw.integer(3, 5), **{"own stream": own})
        seen = _prefetched(student, expect, case, "looking at the current stream")
        want = [True] * case["count"]
        expect.equal(seen["stream"], want, what="whether the current stream is the caller's")
