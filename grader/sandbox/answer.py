"""What comes back from a worker: an answer, or what happened instead of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grader.sandbox.limits import Limits
from grader.sandbox.output import clean
from grader.sandbox.plain import WireError

Status = Literal["ok", "raised", "not_plain", "stopped", "ended"]


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception in the worker, with its place in the student's file.

    Attributes:
        type: The exception's class name, such as ``NotImplementedError``.
        message: Its text, cut at 4 KiB.
        stage_line: Line of the last frame within the stage's folder.
        stage_file: That file, relative to the stage's folder.
        source: The text of that line.
        in_stage: Whether the student's code took part; otherwise it is the probe's own.
    """

    type: str
    message: str
    stage_line: int | None = None
    stage_file: str | None = None
    source: str = ""
    in_stage: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one call.

    Attributes:
        status: ``ok``, ``raised``, ``not_plain`` (a value that is not plain data), ``stopped``
            (a limit was met) or ``ended`` (the worker went away without an answer).
        value: The plain data; None unless the status is ``ok``.
        error: The exception, for ``raised``; also where memory ran out.
        stop: One sentence on why there is no value; empty for ``ok`` and ``raised``.
        output: What was printed during the call.
        wall: From the first byte of the request to the last of the answer [s].
        cpu: Processor time of the worker in that span [s].
        trials: For each instrument, whether it still answers its known question.
    """

    status: Status
    value: Any = None
    error: Raised | None = None
    stop: str = ""
    output: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    trials: Mapping[str, bool] = field(default_factory=dict)


MOST_TEXT = 4096
MOST_TRIALS = 100
RAISED_FIELDS: Mapping[str, type] = {
    "type": str, "message": str, "stage_line": int, "stage_file": str, "source": str,
    "in_stage": bool,
}  # fmt: skip


def answer_from(
    message: Mapping[str, Any], call: int, limits: Limits, *, output: str, wall: float, cpu: float
) -> Answer:
    """Return a worker's message as an answer. A student may have written the message.

    Raises:
        WireError: It is not an answer to this call.
    """
    if message.get("id") != call:
        raise WireError("bad-answer", "it does not answer this call")
    trials, found, status = message.get("trials"), message.get("error"), message.get("status")
    if type(trials) is not dict or len(trials) > MOST_TRIALS:
        raise WireError("bad-answer", "its trials are not a short list of names")
    if not all(type(name) is str and type(right) is bool for name, right in trials.items()):
        raise WireError("bad-answer", "its trials are not names with yes or no")
    error = None if found is None else _raised(found)
    seen: dict[str, Any] = {"output": output, "wall": wall, "cpu": cpu, "trials": trials}
    if status == "ok":
        return Answer("ok", value=message.get("value"), **seen)
    if status == "raised" and error is not None:
        return Answer("raised", error=error, **seen)
    if status == "memory":
        return Answer("stopped", error=error, stop=limits.over_memory(), **seen)
    if status == "not_plain" and type(message.get("stop")) is str:
        return Answer("not_plain", stop=clean(message["stop"][:MOST_TEXT]), **seen)
    raise WireError("bad-answer", "its status is not one that an answer has")


def _raised(found: Any) -> Raised:
    if type(found) is not dict:
        raise WireError("bad-answer", "its exception is not described")
    fields: dict[str, Any] = {}
    for name, value in found.items():
        kind = RAISED_FIELDS.get(name)
        if kind is None or (value is not None and type(value) is not kind):
            raise WireError("bad-answer", "its exception is not described as exceptions are")
        fields[name] = clean(value[:MOST_TEXT]) if isinstance(value, str) else value
    if fields.get("type") is None or fields.get("message") is None:
        raise WireError("bad-answer", "its exception has no type or message")
    fields["source"] = fields.get("source") or ""
    fields["in_stage"] = fields.get("in_stage") is True
    return Raised(**fields)
