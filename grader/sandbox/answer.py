"""What comes back from a worker: an answer, or what happened instead of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

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
