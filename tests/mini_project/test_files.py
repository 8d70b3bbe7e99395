"""What is wrong with the files that are handed in is told all at once; forged numbers are seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.faults import load_faults
from grader.scoring.rows import Level, Row
from grader.submission.folder import read_submission
from tests.mini_project.work import UNIT, Work, checked, said
from tests.units.course import CONTENT

Edit = Callable[[Work], None]


def replaced(name: str, old: str, new: str) -> Edit:
    def edit(work: Work) -> None:
        path = work.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return edit


def all_of(*edits: Edit) -> Edit:
    def edit(work: Work) -> None:
        for one in edits:
            one(work)

    return edit


def written(name: str, content: bytes) -> Edit:
    return lambda work: (work.folder / name).write_bytes(content) and None


WRONG = {
    "no such file": (
        "h", lambda work: (work.folder / "postmortem.toml").unlink(), ["postmortem.toml: there is"]
    ),
    "not TOML": ("h", written("postmortem.toml", b"fault = \n"), ["postmortem.toml:1: is not"]),
    "not text": ("h", written("postmortem.toml", b"\xff\x01"), ["is not UTF-8"]),
    "too large": ("h", written("postmortem.toml", b"# " + b"x" * 70000), ["larger than 64 KiB"]),
    "blank": (
        "h",
        lambda work: (work.folder / "postmortem.toml").write_bytes(
            (UNIT.path / "postmortem.toml").read_bytes()
        ),
        ["`fault` is ''", "`measurement.what` says nothing", "`guard.what` says nothing"],
    ),
    "another fault": (
        "h",
        replaced("postmortem.toml", 'fault = "clip"\nthr', 'fault = "scaler"\nthr'),
        ["says that the fault is scaler"],
    ),
    "threshold outside": (
        "h", replaced("postmortem.toml", "threshold = 100.0", "threshold = 1e9"), ["not between"]
    ),
    "no number": (
        "h", replaced("postmortem.toml", "threshold = 100.0", "threshold = nan"), ["is no number"]
    ),
    "nothing rejected": (
        "h",
        replaced("postmortem.toml", '"rejected"', '"accepted"'),
        ["2 accepted and 0 rejected"],
    ),
    "rejected by what it does not move": (
        "h",
        replaced("postmortem.toml", 'measurement = "host_syncs"', 'measurement = "graph_breaks"'),
        ["graph_breaks is the same with the fault sync and without one"],
    ),
    "few repeats, no medians": (
        "a",
        written("profile.toml", b"repeats = 3\nwarmup = true\n[median]\nforward = -1.0\n"),
        ["`repeats` is 3", "`warmup` is True", "`forward` has no time", "`slowest` is None"],
    ),
    "slowest that is not": (
        "a",
        replaced("profile.toml", "data_wait = 0.000012", "data_wait = 9.0"),
        ["`slowest` is backward, but the largest median of the table is data_wait"],
    ),
    "slowest that is not measured": (
        "a",
        all_of(
            replaced("profile.toml", "data_wait = 0.000012", "data_wait = 9.0"),
            replaced("profile.toml", '"backward"', '"data_wait"'),
        ),
        ["the measurement says that it is not"],
    ),
    "a gain without an interval": (
        "j",
        replaced("optimization.toml", "low = 1.49", "low = 0.9"),
        ["the interval of a gain lies above 1"],
    ),
    "a gain that is called null": (
        "j",
        all_of(
            replaced("optimization.toml", '"gain"', '"null"'),
            replaced("optimization.toml", 'cause = ""', 'cause = "overhead"'),
            replaced("optimization.toml", "low = 1.49", "low = 0.9"),
        ),
        ["claims a null of memory"],
    ),
    "anything goes": (
        "j",
        replaced("optimization.toml", "tolerance = 0.001", "tolerance = 0.5"),
        ["declare 0.1 at most"],
    ),
    "another seed": (
        "i", replaced("project.toml", 'seed = "', 'seed = "two words '), ["a seed has 1 to 64"]
    ),
    "a seed of another project": (
        "i", replaced("project.toml", 'seed = "', 'seed = "x'), ["project.toml: it no longer fits"]
    ),
    "no project": ("i", lambda work: (work.folder / "project.toml").unlink(), ["grade project"]),
}  # fmt: skip


@pytest.mark.parametrize(("letter", "edit", "words"), WRONG.values(), ids=WRONG)
def test_a_file_that_is_wrong_is_told(
    letter: str, edit: Edit, words: list[str], bench: Bench, solution: Work
) -> None:
    edit(solution)
    evidence = checked(solution, bench, letter)
    assert Status.FAULT not in {found.status for found in evidence}, said(evidence)
    lost = [found for found in evidence if found.status.counts_against]
    assert all(any(word in found.message for found in lost) for word in words), said(evidence)


def test_a_form_of_the_claim_costs_the_claim_alone(bench: Bench, solution: Work) -> None:
    replaced("optimization.toml", "low = 1.49", "low = 1.0")(solution)
    replaced("optimization.toml", 'kind = "checkpointing"', 'kind = "magic"')(solution)
    lost = [one for one in checked(solution, bench, "j") if one.status is not Status.MET]
    assert [one.check for one in lost] == ["mini-project.j/the_claim_is_what_is_measured"]
    assert "`kind` is 'magic'" in lost[0].message


def test_no_mistake_of_the_code_is_named_for_a_file_that_cannot_be_used(
    bench: Bench, solution: Work
) -> None:
    replaced("optimization.toml", "tolerance = 0.001", "tolerance = 0.5")(solution)
    submission = read_submission(solution.root, UNIT)
    tasks = frozenset({f"{UNIT.id}.j"})
    faults = load_faults(UNIT, CONTENT.solutions)
    run = run_checks(bench, submission, CONTENT.solutions, "kept", tasks=tasks, faults=faults)
    lost = [one for one in run.evidence if one.status is Status.NOT_MET]
    assert len(lost) == 2
    assert {one.mistake for one in lost} == {""}


def test_a_time_is_claimed_and_measured(bench: Bench, solution: Work) -> None:
    """A gain of time that is not there is not met, unless the machine is too noisy to say."""
    for old, new in (('of = "memory"', 'of = "time"'), ("repeats = 1", "repeats = 30")):
        replaced("optimization.toml", old, new)(solution)
    found = next(one for one in checked(solution, bench, "j") if one.check.endswith("is_measured"))
    assert found.status in (Status.NOT_MET, Status.INCONCLUSIVE), said([found])


FREE = """
def optimized(seed):
    run = repaired(seed)
    step, forward, made, seen = run.step, run.forward, [], []
    run.forward = lambda batch: seen.append(batch) or forward(batch)

    def some(batch):
        if len(made) > 9 and len(made) == len(seen):  # nobody has looked at the forward alone
            return made[-1]
        made.append(step(batch))
        return made[-1]

    run.step = some
    return run
"""
SLOW = """
import time

_quick = repaired


def repaired(seed):
    run = _quick(seed)
    update = run.update
    run.update = lambda: time.sleep(0.002) or update()
    return run


def optimized(seed):
    return _quick(seed)
"""


@pytest.mark.parametrize(
    ("change", "words"), [(FREE, "of the steps that were timed"), (SLOW, "handed out")]
)
def test_a_gain_of_time_is_one_of_whole_steps_over_what_was_handed_out(
    change: str, words: str, bench: Bench, solution: Work
) -> None:
    for old, new in (
        ('of = "memory"', 'of = "time"'),
        ("repeats = 1", "repeats = 30"),
        ("ratio = 1.5\nlow = 1.49", "ratio = 1.1\nlow = 1.05"),
    ):
        replaced("optimization.toml", old, new)(solution)
    stage = solution.folder / "torch_stage.py"
    stage.write_text(stage.read_text(encoding="utf-8") + change, encoding="utf-8")
    found = next(one for one in checked(solution, bench, "j") if one.check.endswith("is_measured"))
    may_be_open = change is SLOW and found.status is Status.INCONCLUSIVE
    assert may_be_open or found.status is Status.NOT_MET, said([found])
    assert may_be_open or words in found.message.lower(), said([found])


def row(name: str, level: Level, at_most: Level | None = None) -> Row:
    return Row(name, name, level, at_most or level, ("Met: some.", "because of this"))


def test_a_self_grade_is_held_against_the_rows() -> None:
    from grader.grading.selfgrade import selfgrade_problems

    rows = [row("timing", Level.PASS), row("resume", Level.NONE, Level.STRONG)]
    content = b'timing = "strong"\nresume = "pass"\nluck = "none"\n'
    told = [str(problem) for problem in selfgrade_problems(content, rows)]
    assert told == [
        "selfgrade.toml:3: there is no row 'luck'; use prediction, timing, fault_repair, "
        "optimization_validity, resume",
        "selfgrade.toml:1: timing: you say strong, the evidence says pass; because of this",
    ]
    assert "there is no such file" in str(selfgrade_problems(None, rows)[0])
    blank = selfgrade_problems(b'timing = ""\nresume = "good"\n', rows)
    assert ["timing is blank" in str(blank[0]), "resume is 'good'" in str(blank[1])] == [True] * 2
    assert "not valid TOML" in str(selfgrade_problems(b"timing = \n", rows)[0])
