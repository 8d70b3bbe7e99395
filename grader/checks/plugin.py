"""The pytest plugin: gives checks their fixtures and turns each result into evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from grader.checks import outcomes
from grader.checks.diagnosis import Diagnosis
from grader.checks.draw import Draw
from grader.checks.evidence import Evidence, Status
from grader.checks.expect import Expect
from grader.checks.handed import HandedIn
from grader.checks.marks import CheckMark, mark_of
from grader.checks.reference import Reference
from grader.checks.subject import Bench, Subject
from grader.submission.folder import Submission

_STATUS: dict[type[BaseException], Status] = {
    outcomes.NotAttempted: Status.NOT_ATTEMPTED,
    outcomes.Unmet: Status.NOT_MET,
    outcomes.Inconclusive: Status.INCONCLUSIVE,
    outcomes.Skipped: Status.SKIPPED,
    outcomes.Stopped: Status.STOPPED,
    outcomes.Void: Status.VOID,
}
_OUTPUT_KEPT = 2000


@dataclass(frozen=True, slots=True)
class Trial:
    """What one run of a unit's checks needs.

    Attributes:
        bench: Unit, sandbox and limits.
        submission: The student's files, for what can be said without running them.
        stages: Folder of the copy that workers read.
        solved: Folder of the reference stages.
        diagnosis: Known mistakes, None when they are not to be named.
        seed: Seed of the run.
        tasks: Ids of the tasks to check, None for all.
        only: Id of the one check to run, None for all of these tasks.
        on_evidence: Called with each piece of evidence as it comes.
    """

    bench: Bench
    submission: Submission
    stages: Path
    solved: Path
    diagnosis: Diagnosis | None
    seed: str
    tasks: frozenset[str] | None
    only: str | None
    on_evidence: Callable[[Evidence], None]


class GraderPlugin:
    """Fixtures and hooks of one trial."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.evidence: list[Evidence] = []
        self.broken: list[str] = []

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Iterator[Subject]:
        """The submission's stages in a worker of this check's own."""
        with Subject(self._trial.bench, self._trial.stages, *self._where(request)) as subject:
            yield subject

    @pytest.fixture
    def reference(self, request: pytest.FixtureRequest) -> Iterator[Subject]:
        """The solution's stages in a worker of this check's own."""
        with Reference(self._trial.bench, self._trial.solved, *self._where(request)) as subject:
            yield subject

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        """Seeded randomness for this check."""
        return Draw(self._trial.seed, _mark(request.function).id)

    @pytest.fixture
    def handed_in(self) -> HandedIn:
        """What the submission holds beside its stages, as data."""
        return HandedIn(self._trial.submission.files)

    @pytest.fixture
    def expect(self) -> Expect:
        """What holds results against the truth."""
        return Expect()

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Keep the checks of the chosen tasks, in the order of the unit's tasks."""
        order = {task.id: index for index, task in enumerate(self._trial.bench.unit.tasks)}
        checks = [item for item in items if mark_of(getattr(item, "function", None))]
        for item in items:
            if item not in checks:
                self.broken.append(f"{item.nodeid} has no @check")
        tasks, only = self._trial.tasks, self._trial.only
        kept = [item for item in checks if tasks is None or _item_mark(item).task in tasks]
        kept = [item for item in kept if only is None or _item_mark(item).id == only]
        items[:] = sorted(kept, key=lambda item: order.get(_item_mark(item).task, len(order)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note hidden checks that cannot even be imported."""
        if report.failed:
            self.broken.append(f"{report.nodeid}: {report.longreprtext}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Settle a check without a worker when its stage or function cannot be used at all."""
        mark = _item_mark(item)
        stage = self._trial.bench.unit.stage_of(mark.task)
        problem = self._trial.submission.problem_of(mark.task, stage)
        if problem is not None:
            self._keep(_evidence(mark, Status.NOT_MET, message=str(problem)))
        elif mark.device == "cuda" and not self._trial.bench.sandbox.has_cuda():
            self._keep(_evidence(mark, Status.SKIPPED, message="This machine has no CUDA device."))
        else:
            return None
        # what the check before has left open for this one, such as its module, ends here
        item.session._setupstate.teardown_exact(nextitem)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run the check and keep what it found."""
        mark = _item_mark(item)
        started = time.monotonic()
        try:
            yield
        except outcomes.Outcome as outcome:
            found = self._judge(item, mark, outcome)
        except Exception as error:
            note = f"the check itself failed: {type(error).__name__}: {error}"
            found = _evidence(mark, Status.FAULT, message=note)
        else:
            found = _evidence(mark, Status.MET)
        self._keep(replace(found, seconds=round(time.monotonic() - started, 3)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Keep a failing fixture as a fault of the grader."""
        try:
            yield
        except Exception as error:
            note = f"the check could not start: {type(error).__name__}: {error}"
            self._keep(_evidence(_item_mark(item), Status.FAULT, message=note))
            raise

    def _where(self, request: pytest.FixtureRequest) -> tuple[str, str]:
        """Return the stage that a check is about, and the device it runs on."""
        mark = _mark(request.function)
        return self._trial.bench.unit.stage_of(mark.task), mark.device

    def _judge(self, item: pytest.Item, mark: CheckMark, outcome: outcomes.Outcome) -> Evidence:
        status = _STATUS.get(type(outcome), Status.FAULT)
        found = _evidence(mark, status, message=outcome.message, output=_output(item))
        if isinstance(outcome, outcomes.Unmet):
            finding = outcome.finding
            found = replace(found, expected=finding.expected, got=finding.got, unit=finding.unit)
            if self._trial.diagnosis:
                function: Callable[..., Any] = getattr(item, "function")  # noqa: B009
                named = self._trial.diagnosis.name(function, mark, self._trial.seed, finding)
                found = replace(found, mistake=named)
        return found

    def _keep(self, evidence: Evidence) -> None:
        self.evidence.append(evidence)
        self._trial.on_evidence(evidence)


def _evidence(mark: CheckMark, status: Status, message: str = "", output: str = "") -> Evidence:
    return Evidence(
        check=mark.id,
        task=mark.task,
        title=mark.title,
        row=mark.row,
        level=mark.level,
        status=status,
        message=message,
        output=output,
        confirms=mark.device != "cpu",
        person=mark.person and status is Status.MET,
    )


def _output(item: pytest.Item) -> str:
    """Return what the student's code printed during this check, cut."""
    student = getattr(item, "funcargs", {}).get("student")
    text = "".join(student.output) if isinstance(student, Subject) else ""
    return text if len(text) <= _OUTPUT_KEPT else text[:_OUTPUT_KEPT] + " … (cut)"


def _mark(function: Any) -> CheckMark:
    mark = mark_of(function)
    if mark is None:
        raise LookupError(f"{function} has no @check")
    return mark


def _item_mark(item: pytest.Item) -> CheckMark:
    return _mark(getattr(item, "function", None))
