"""The plugin on a unit made on the fly: every outcome a check can have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.checks.contract import check_unit
from grader.checks.evidence import Evidence, Status
from grader.checks.session import CheckRun, run_checks
from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.faults import load_faults
from grader.course.unit import Unit, load_unit
from grader.submission.folder import read_submission
from tests.toy_unit import NUMPY_SOLUTION, TORCH_SOLUTION, make_toy

Toy = tuple[Content, Unit]


def run(
    bench: Bench, toy: Toy, folder: Path, numpy: str = NUMPY_SOLUTION, torch: str = TORCH_SOLUTION
) -> CheckRun:
    content, unit = toy
    work = folder / unit.folder
    work.mkdir(parents=True, exist_ok=True)
    (work / "numpy_stage.py").write_text(numpy)
    (work / "torch_stage.py").write_text(torch)
    faults = load_faults(unit, content.solutions)
    submission = read_submission(folder, unit)
    return run_checks(bench, submission, content.solutions, "seed", faults=faults)


def double(result: CheckRun) -> Evidence:
    return next(found for found in result.evidence if found.check == "9.1.a/doubles")


def total(result: CheckRun) -> Evidence:
    return next(found for found in result.evidence if found.check == "9.1.b/sums")


def body(statements: str) -> str:
    lines = "".join(f"    {line}\n" for line in statements.splitlines())
    return f"import numpy as np\n\n\ndef double(x):\n{lines}"


def test_the_solution_meets_every_check(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    result = run(bench, toy, tmp_path)
    assert [f"{found.status}{found.message}" for found in result.evidence] == ["met"] * 3
    assert not result.broken
    assert not result.interrupted


def test_a_stub_is_not_attempted_and_says_its_task(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body('raise NotImplementedError("9.1.a")')))
    assert found.status is Status.NOT_ATTEMPTED
    assert found.message == "9.1.a is still a stub."


def test_what_a_library_does_not_implement_is_no_stub(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    text = "import asyncio\nreturn asyncio.AbstractEventLoop().time()"
    found = double(run(bench, toy, tmp_path, numpy=body(text)))
    assert found.status is Status.NOT_MET
    assert "AbstractEventLoop" in found.message


def test_a_wrong_value_shows_expected_and_got_and_names_the_known_mistake(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body("return np.add(x, 1.0)")))
    assert found.status is Status.NOT_MET
    assert found.expected
    assert found.got
    assert found.mistake.startswith("This is what adding one gives.")


def test_an_unknown_wrong_value_is_not_taken_for_a_known_mistake(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body("return 3 * x")))
    assert found.status is Status.NOT_MET
    assert found.mistake == ""


def test_an_exception_is_told_with_its_place(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body("return 2 * x / undefined_name")))
    assert found.status is Status.NOT_MET
    assert "NameError" in found.message
    assert "numpy_stage.py line 5: `return 2 * x / undefined_name`" in found.message


def test_an_answer_that_is_not_plain_data_is_named(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    text = (
        "class Always:\n    def __eq__(self, other):\n        return True\n"
        "    def __array__(self, *a, **k):\n        raise SystemExit\n"
        "return Always()"
    )
    found = double(run(bench, toy, tmp_path, numpy=body(text)))
    assert found.status is Status.NOT_MET
    assert "Always" in found.message


def test_ending_the_process_gains_nothing(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body("import os\nos._exit(0)")))
    assert found.status is Status.STOPPED
    assert found.message.startswith("Your code did not answer: ended itself with status 0")


def test_a_time_limit_stops_the_check(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    quick = replace(bench, limits=replace(bench.limits, wall=1.0))
    found = double(run(quick, toy, tmp_path, numpy=body("import time\ntime.sleep(60)")))
    assert found.status is Status.STOPPED
    assert "time limit" in found.message


def test_what_the_student_prints_is_kept(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    found = double(run(bench, toy, tmp_path, numpy=body("print('looking at', x.shape)\nreturn x")))
    assert "looking at (3,)" in found.output


def test_a_broken_stage_spoils_its_own_tasks_alone(bench: Bench, toy: Toy, tmp_path: Path) -> None:
    result = run(bench, toy, tmp_path, numpy="def double(x:\n")
    assert "not valid Python" in double(result).message
    assert double(result).status is Status.NOT_MET
    assert total(result).status is Status.MET


def test_torch_cannot_be_smuggled_into_the_numpy_stage(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    text = "import importlib\ntorch = importlib.import_module('to' + 'rch')\nreturn 2 * x"
    found = double(run(bench, toy, tmp_path, numpy=body(text)))
    assert found.status is Status.NOT_MET
    assert "may not import torch" in found.message


def test_the_same_seed_draws_the_same_case_alone_and_together(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    content, unit = toy
    whole = run(bench, toy, tmp_path, numpy=body("return 3 * x"))
    alone = run_checks(
        bench,
        read_submission(tmp_path, unit),
        content.solutions,
        "seed",
        tasks=frozenset({"9.1.a"}),
    )
    assert [found.check for found in alone.evidence] == ["9.1.a/doubles"]
    assert alone.evidence[0].got == double(whole).got


@pytest.mark.parametrize("there", [False, True])
def test_a_check_for_a_device_is_skipped_without_one(
    bench: Bench, toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    content, unit = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    for name in ("test_torch.py", "test_predictions.py"):
        (hidden / name).unlink()
    (hidden / "test_numpy.py").write_text(
        "from grader.checks import check\n\n\n"
        "@check('9.1.a', row='timing', device='cuda')\n"
        "def test_doubles(student, expect):\n"
        '    """Doubles on a device."""\n'
        "    expect.equal(student.numpy.double(2), 4)\n"
    )
    monkeypatch.setattr(bench.sandbox, "has_cuda", lambda: there)
    submission = read_submission(content.solutions, unit)
    (evidence,) = run_checks(
        Bench(unit, bench.sandbox), submission, content.solutions, "seed"
    ).evidence
    # the worker sees the devices that there are; this function needs none of them
    assert evidence.status == (Status.MET if there else Status.SKIPPED)
    assert evidence.confirms


def test_a_check_that_is_skipped_last_in_its_file_leaves_the_next_file_alone(
    bench: Bench, toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, unit = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    for path in hidden.glob("test_*.py"):
        path.unlink()
    body = "    expect.equal(student.numpy.double(2), 4)\n"
    check = "@check('9.1.a', row='timing'{device})\ndef test_{name}(student, expect):\n" + body
    for file, devices in (("test_a", ("cpu", "cuda")), ("test_b", ("cpu",))):
        checks = [
            check.format(name=f"{file}_{device}", device=f", device={device!r}")
            for device in devices
        ]
        text = "\n\n".join(["from grader.checks import check\n", *checks])
        (hidden / f"{file}.py").write_text(text)
    monkeypatch.setattr(bench.sandbox, "has_cuda", lambda: False)
    submission = read_submission(content.solutions, unit)
    run = run_checks(Bench(unit, bench.sandbox), submission, content.solutions, "seed")
    assert [found.status for found in run.evidence] == [Status.MET, Status.SKIPPED, Status.MET]


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("expect.inconclusive('too noisy')", Status.INCONCLUSIVE),
        ("expect.skip('needs CUDA')", Status.SKIPPED),
        ("1 / 0", Status.FAULT),
        ("reference.run('no_such_probe', {})", Status.FAULT),
        ("expect.unmet('no')", Status.NOT_MET),
    ],
)
def test_every_way_a_check_can_end_is_an_outcome_of_its_own(
    bench: Bench, toy: Toy, tmp_path: Path, statement: str, status: Status
) -> None:
    content, _ = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    (hidden / "test_torch.py").unlink()
    (hidden / "test_predictions.py").unlink()
    (hidden / "test_numpy.py").write_text(
        "from grader.checks import check\n\n\n"
        "@check('9.1.a', row='timing')\n"
        f"def test_it(reference, expect):\n    '''It holds.'''\n    {statement}\n"
    )
    changed = load_unit(hidden.parent)
    result = run_checks(
        replace(bench, unit=changed),
        read_submission(content.solutions, changed),
        content.solutions,
        "seed",
    )
    assert [found.status for found in result.evidence] == [status]


def test_hidden_checks_that_cannot_be_used_are_the_authors_concern(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    content, _ = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    (hidden / "test_numpy.py").write_text("import no_such_module\n")
    (hidden / "test_torch.py").write_text("def test_unmarked():\n    pass\n")
    changed = load_unit(hidden.parent)
    submission = read_submission(content.solutions, changed)
    result = run_checks(replace(bench, unit=changed), submission, content.solutions, "seed")
    said = "\n".join(result.broken)
    assert "no_such_module" in said
    assert "has no @check" in said


def test_probes_that_cannot_be_imported_are_no_fault_of_the_student(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    content, _ = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    (hidden / "probes.py").write_text("import no_such_module\n")
    changed = replace(bench, unit=load_unit(hidden.parent))
    found = double(run(changed, toy, tmp_path))
    assert found.status is Status.FAULT
    assert "no_such_module" in found.message


def test_a_file_of_the_students_is_not_taken_for_a_module_of_the_probes(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    content, _ = make_toy(tmp_path / "course")
    hidden = content.exercises / "u91_toy" / "hidden"
    probes = hidden / "probes.py"
    probes.write_text("import colorsys\n\ncolorsys.hls_to_rgb\n" + probes.read_text())
    changed = replace(bench, unit=load_unit(hidden.parent))
    (tmp_path / "u91_toy").mkdir()
    (tmp_path / "u91_toy" / "colorsys.py").write_text("raise SystemExit\n")
    assert {found.status for found in run(changed, toy, tmp_path).evidence} == {Status.MET}


def test_a_toy_unit_needs_only_its_two_folders(bench: Bench, toy: Toy) -> None:
    content, unit = toy
    assert check_unit(unit, content, bench) == ()


def test_the_contract_asks_nothing_of_a_check_whose_device_is_missing(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, unit = make_toy(tmp_path)
    monkeypatch.setattr(bench.sandbox, "has_cuda", lambda: False)
    with (unit.hidden / "test_numpy.py").open("a", encoding="utf-8") as file:
        file.write(
            "\n\n@check('9.1.a', row='timing', device='cuda')\n"
            "def test_doubles_on_a_device(student, expect):\n"
            '    """Doubles on a device."""\n'
            "    expect.equal(student.numpy.double(2), 4)\n"
        )
    assert check_unit(unit, content, Bench(unit, bench.sandbox)) == ()


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("exercises/u91_toy/numpy_stage.py", "double", "treble", "not what its solution gives"),
        ("exercises/u91_toy/README.md", "5 min", "7 min", "takes 5 min"),
        ("exercises/u91_toy/prediction.toml", "elements =", "parts =", "elements, parts"),
        ("exercises/u91_toy/prediction.toml", "before you measure", "at once", "is out of date"),
        ("exercises/u91_toy/hidden/probes.py", '"one column": 3', '"one column": 4', "same size"),
        ("exercises/u91_toy/hidden/probes.py", '"one column": 3', '"a column": 3', "not measured"),
        (
            "exercises/u91_toy/hidden/probes.py",
            "torch.zeros(3, 4)",
            "torch.zero",
            "not be measured",
        ),
        ("solutions/u91_toy/numpy_stage.py", "2 * x", "2 * x + 1", "the solution is not met"),
        ("solutions/u91_toy/faults/mean.py", "x.mean()", "x.sum()", "does not catch it"),
        ("solutions/u91_toy/faults/adds_one.py", "also", "# also", "fails too"),
        (
            "exercises/u91_toy/hidden/test_torch.py",
            "student.run(",
            "1 and student.run(",
            "",
        ),
        (
            "exercises/u91_toy/hidden/test_torch.py",
            'expect.close(student.run("total_of", {"x": x})["total"], x.sum(), rtol=1e-12)',
            "pass",
            "the stub is met",
        ),
    ],
)
def test_each_breach_of_the_content_contract_is_found(
    bench: Bench, tmp_path: Path, path: str, old: str, new: str, said: str
) -> None:
    content, unit = make_toy(tmp_path)
    file = tmp_path / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    problems = check_unit(unit, content, replace(bench, unit=unit))
    if said:
        assert any(said in str(problem) for problem in problems), problems
    else:
        assert problems == ()


@pytest.mark.parametrize(
    "statement",
    [
        "return np.asarray(2 * x).tolist()",
        "return tuple(2 * x) if hasattr(x, 'shape') else np.array(2 * x)",
        "return [np.float64(2) * value for value in x] if hasattr(x, 'shape') else np.int64(2 * x)",
    ],
)
def test_the_same_value_in_another_form_is_met(
    bench: Bench, toy: Toy, tmp_path: Path, statement: str
) -> None:
    result = run(bench, toy, tmp_path, numpy=body(statement))
    assert [f"{found.status}{found.message}" for found in result.evidence] == ["met"] * 3


def test_a_stage_cannot_put_itself_in_the_place_of_a_probe(
    bench: Bench, toy: Toy, tmp_path: Path
) -> None:
    stolen = (
        "import sys\n\nimport torch\n\n"
        "def fake(stage, case):\n    return {'total': float(case['x'].sum())}\n\n\n"
        "sys.modules['probes'].total_of = fake\n\n\n"
        "def total(x):\n    return x.mean()\n"
    )
    found = total(run(bench, toy, tmp_path, torch=stolen))
    assert found.status is Status.VOID
    assert "probes.total_of, which was replaced," in found.message
