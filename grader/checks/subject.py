"""Whoever is on trial in a check: the student, the reference, or a known mistake.

All three answer through the same door, a worker of the sandbox; they differ in where their stages
come from and in who is to blame when something goes wrong.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from grader.checks.outcomes import Finding, GraderFault, NotAttempted, Stopped, Unmet, Void
from grader.course.unit import STAGES, Unit, stage_file
from grader.sandbox.client import Answer, Raised, Sandbox, Worker
from grader.sandbox.limits import Limits

CALL = "$call"
REFERENCE = "reference"
ADAPTER_ERROR = "AdapterError"
"""What a probe raises to say in a line what is wrong with a file that is no stage."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What every subject of a unit's checks works on.

    Attributes:
        unit: The unit.
        sandbox: An open sandbox.
        limits: What a call may use unless its check says otherwise.
        findings: What known mistakes gave on cases drawn before, which they give again.
        answers: What the reference answered, by all that it had been asked in a check.
    """

    unit: Unit
    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    findings: dict[tuple[str, ...], Finding | None] = field(default_factory=dict)
    answers: dict[bytes, Answer] = field(default_factory=dict)


class Subject:
    """Stages on trial in one check, with a worker for each stage that is used.

    Attributes:
        numpy: The NumPy stage: ``student.numpy.amdahl(0.5, 2)``.
        torch: The PyTorch stage.
        scratch: Folder that all workers of this subject may write to, as text.
        cpu: Processor time of all calls so far, those of `fresh` subjects left out [s].
    """

    def __init__(
        self, bench: Bench, stages: Path, stage: str, device: str = "cpu", name: str = "student"
    ) -> None:
        self._bench = bench
        self._device = device
        self._stages = stages
        self._stage = stage
        self._name = name
        self._open = ExitStack()
        self._workers: dict[str, Worker] = {}
        self._scratch: Path | None = None
        self.output: list[str] = []
        self.cpu = 0.0
        self.numpy = StageCalls(self, "numpy")
        self.torch = StageCalls(self, "torch")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workers.clear()
        self._open.close()

    @property
    def scratch(self) -> str:
        """A folder that every worker of this subject may write to."""
        return str(self._scratch_path())

    def fresh(self, limits: Limits | None = None) -> Subject:
        """Return the same subject in new processes, with the same scratch folder.

        Args:
            limits: For these processes, where a check needs others than most: a worker's own
                processes and the size of its files are fixed when it starts.
        """
        bench = self._bench if limits is None else replace(self._bench, limits=limits)
        other = Subject(bench, self._stages, self._stage, self._device, self._name)
        other._scratch = self._scratch_path()
        other.output = self.output
        return self._open.enter_context(other)

    def run(
        self,
        probe: str,
        case: Mapping[str, Any],
        limits: Limits | None = None,
        stage: str | None = None,
    ) -> Any:
        """Run a probe beside a stage, the check's own unless named, and return its plain data.

        Raises:
            Outcome: not attempted, unmet, stopped or void, in the student's case; a grader fault
                when the reference does not answer.
        """
        return self._value(self.attempt(probe, case, limits, stage), probe)

    def attempt(
        self,
        probe: str,
        case: Mapping[str, Any],
        limits: Limits | None = None,
        stage: str | None = None,
    ) -> Answer:
        """Run a probe and return whatever came back, for tasks that must refuse bad input.

        A stub that is still there counts as not attempted here too.
        """
        return self._attempt(stage or self._stage, probe, case, limits)

    def call(self, stage: str, function: str, *args: Any, **kwargs: Any) -> Any:
        """Call one function of a stage with plain data."""
        answer = self.attempt_call(stage, function, *args, **kwargs)
        return self._value(answer, function)

    def attempt_call(self, stage: str, function: str, *args: Any, **kwargs: Any) -> Answer:
        """Call one function of a stage and return whatever came back."""
        case = {"function": function, "args": list(args), "kwargs": kwargs}
        return self._attempt(stage, CALL, case, None)

    def _attempt(
        self, stage: str, probe: str, case: Mapping[str, Any], limits: Limits | None
    ) -> Answer:
        answer = self._worker(stage).call(probe, case, limits)
        self.cpu += answer.cpu
        if answer.output:
            self.output.append(answer.output)
        error = answer.error
        if answer.status == "raised" and error and is_stub(error):
            self._blame(NotAttempted(f"{error.message or 'The function'} is still a stub."))
        return answer

    def _worker(self, stage: str) -> Worker:
        if stage not in self._workers:
            worker = self._bench.sandbox.worker(
                "numpy" if stage == "numpy" else "torch",
                stage=self._stages / stage_file(stage),
                probes=self._bench.unit.probes,
                limits=self._bench.limits,
                scratch=self._scratch_path(),
                sees_devices=self._device != "cpu",
                trusted=self._name == REFERENCE,
            )
            self._workers[stage] = self._open.enter_context(worker)
        return self._workers[stage]

    def _scratch_path(self) -> Path:
        if self._scratch is None:
            folder = tempfile.TemporaryDirectory(prefix="scratch-", ignore_cleanup_errors=True)
            self._scratch = Path(self._open.enter_context(folder))
        return self._scratch

    def _value(self, answer: Answer, asked: str) -> Any:
        if answer.status == "ok":
            failed = [name for name, honest in answer.trials.items() if not honest]
            if failed:
                self._blame(Void(_void_message(failed)))
            return _bare(answer.value)
        if answer.status == "raised" and answer.error:
            self._blame(Unmet(Finding(asked, raised_message(answer.error))))
        if answer.status == "not_plain":
            note = f"The answer cannot be compared: {answer.stop or 'it is not plain data'}."
            self._blame(Unmet(Finding(asked, note)))
        if answer.status == "ended":
            self._blame(Stopped(_sentence(f"your code did not answer: {answer.stop}")))
        self._blame(Stopped(_sentence(answer.stop)))

    def _blame(self, outcome: Exception) -> Any:
        """Raise the outcome for a student, a grader fault for the reference."""
        if self._name == REFERENCE:
            raise GraderFault(f"the reference did not answer: {outcome}")
        raise outcome


class StageCalls:
    """Attribute access as calls: ``student.numpy.ulp(x, "bf16")``."""

    def __init__(self, subject: Subject, stage: str) -> None:
        if stage not in STAGES:
            raise ValueError(stage)
        self._subject = subject
        self._stage = stage

    def __getattr__(self, function: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._subject.call(self._stage, function, *args, **kwargs)

        return call


def _bare(value: Any) -> Any:
    """Return data in which an array of one number without dimensions is that number."""
    if isinstance(value, np.ndarray):
        return value.item() if value.shape == () else value
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def is_stub(error: Raised) -> bool:
    """Whether a stub raised this, and not something that a library does not implement."""
    return error.type == "NotImplementedError" and "NotImplementedError" in error.source


def raised_message(error: Raised) -> str:
    """Say in the student's words what their code raised, and where."""
    if error.type == ADAPTER_ERROR:
        return error.message
    what = f"{error.type}: {error.message}" if error.message else error.type
    if error.stage_line and error.stage_file:
        source = f": `{error.source.strip()}`" if error.source else ""
        return f"Your code raised {what}, at {error.stage_file} line {error.stage_line}{source}"
    return f"What your function returned could not be used: {what}"


def _void_message(failed: list[str]) -> str:
    names = ", ".join(failed)
    return (
        f"After your code ran, {names} gave a wrong answer to a question whose answer is known, so "
        "this measurement does not count. Something in the process was changed: look for patched "
        "functions, modes that were left on and settings that were not restored."
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
