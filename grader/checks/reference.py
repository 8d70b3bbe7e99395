"""The solution in a check; what it was asked before, it is not asked again.

A wrong result is held against known mistakes, each a run of the same check on the same case, and
each asks the reference the same. Its answers follow from all that it was asked in a check, in
order, so they are kept under that. A question that is new has a real worker asked all before it.
What a limit or a failed trial put an end to is not kept: it may go well the next time.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.checks.subject import REFERENCE, Bench, Subject
from grader.sandbox.answer import Answer
from grader.sandbox.limits import Limits
from grader.sandbox.wire import encode


class Reference(Subject):
    """The solved stages on trial in one check."""

    def __init__(self, bench: Bench, stages: Path, stage: str, device: str = "cpu") -> None:
        super().__init__(bench, stages, stage, device, REFERENCE)
        self._asked = hashlib.blake2b(device.encode())
        for file in sorted(stages.iterdir()):
            self._asked.update(file.read_bytes() if file.is_file() else b"")
        self._unmade: list[tuple[str, str, Mapping[str, Any], Limits | None]] = []
        self._repeats = True

    @property
    def scratch(self) -> str:
        """The folder that every worker of this subject may write to.

        What lies there is not part of a question, so from now on every question is asked.
        """
        self._ask_what_was_not()
        self._repeats = False
        return super().scratch

    def fresh(self, limits: Limits | None = None) -> Subject:
        """Return the same subject in new processes, with the same scratch folder."""
        self._ask_what_was_not()
        self._repeats = False
        return super().fresh(limits)

    def _attempt(
        self, stage: str, probe: str, case: Mapping[str, Any], limits: Limits | None
    ) -> Answer:
        if not self._repeats:
            return super()._attempt(stage, probe, case, limits)
        for part in encode({"stage": stage, "probe": probe, "case": case, "limits": repr(limits)}):
            self._asked.update(part)
        key, kept = self._asked.digest(), self._bench.answers
        if key in kept:
            self._unmade.append((stage, probe, case, limits))
            return copy.deepcopy(kept[key])  # a check may change what it got
        self._ask_what_was_not()
        answer = super()._attempt(stage, probe, case, limits)
        if answer.status in ("ok", "raised") and all(answer.trials.values()):
            kept[key] = copy.deepcopy(answer)
        return answer

    def _ask_what_was_not(self) -> None:
        for question in self._unmade:
            super()._attempt(*question)
        self._unmade.clear()
