"""Hidden checks of the first invalid value, captured and replayed."""

from __future__ import annotations

from grader.checks import check

from .project import SOUND


@check("mini-project.e", row="fault_repair")
def test_the_first_invalid_value_is_found(student, draw, expect):
    """The step and the module of the first value that is not finite, in a run on your model."""
    at = draw.integer(1, 3)
    case = {
        "trainer": SOUND, "seed": draw.integer(0, 1000), "at": at, "steps": at + 3,
        "shares": [0.0, draw.uniform(0.3, 0.7), 1.0], "scratch": student.scratch,
    }  # fmt: skip
    files = []
    for row in student.run("invalid", case):
        where = row["where"]
        clean = where == "clean"
        words = "a run without one" if clean else f"a run that turns invalid at {where!r}"
        expect.that(row["hooks"] == 0, f"After {words}, hooks are left on the model.", row["hooks"])
        if clean:
            expect.that(row["none"], f"For {words}, first_invalid must return None.")
            expect.equal(row["steps"], case["steps"], what="the steps made in a run without one")
            continue
        expect.that(not row["none"], f"first_invalid finds nothing in {words}.")
        wanted = ["batch", "module", "state", "step"]
        expect.that(set(wanted) <= set(row["keys"]), f"A capture has {wanted}.", row["keys"])
        expect.equal(row["step"], at, what=f"the step found in {words}")
        expect.equal(row["module"], where, what=f"the module found in {words}")
        files.append((where, row["file"]))
    again = student.fresh().run("refound", {**case, "files": [file for _, file in files]})
    for (where, _), seen in zip(files, again, strict=True):
        message = f"The capture of a run that turns invalid at {where!r} does not load: "
        expect.that(not seen["loads"], message + seen["loads"])
        message = f"From state and batch of the capture, what is invalid first is not {where!r}."
        expect.that(seen["module"] == where, message, seen["module"])


@check("mini-project.f", row="fault_repair")
def test_a_capture_is_replayed(student, draw, expect):
    """In a used run and another process, the captured step is invalid at the same place again."""
    case = {
        "trainer": SOUND, "seed": draw.integer(0, 1000), "at": draw.integer(1, 3),
        "shares": [0.0, draw.uniform(0.3, 0.7), 1.0], "scratch": student.scratch,
    }  # fmt: skip
    known = student.run("captured", case)
    files = [file for _, file in known]
    seen = student.fresh().run("replayed", {**case, "files": files})
    for (where, _), found in zip(known, seen, strict=True):
        words = f"a capture that is invalid at {where!r}" if where else "a capture that is sound"
        expect.equal(found["module"], where, what=f"what replay returns for {words}")
