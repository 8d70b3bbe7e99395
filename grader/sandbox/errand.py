"""What a worker is for: the first message it gets, straight from the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.sandbox.confinement import Policy
from grader.sandbox.wire import MOST_PAYLOAD


@dataclass(frozen=True, slots=True)
class Errand:
    """One worker's files, walls and limits, all as plain data.

    Attributes:
        policy: The walls it puts up around itself.
        flavor: ``numpy``, ``torch``, or ``bare`` with neither.
        stage: Path of the student's file; None for a worker without student code.
        probes: Path of the probes file or package; None when only ``$call`` is used.
        packages: Folders of the course packages, by name.
        preload: Modules that a fresh interpreter imports before the stage.
        seed: For all random generators; None takes one from the system.
        most: The largest answer [B].
        trusted: Whether the stage is the course's own. Instruments are on trial once then, before
            it is imported; else after each call.
    """

    policy: Policy
    flavor: str
    stage: str | None = None
    probes: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    preload: tuple[str, ...] = ()
    seed: int | None = None
    most: int = MOST_PAYLOAD
    trusted: bool = False

    def to_plain(self) -> dict[str, Any]:
        """Return the errand as plain data, for the wire."""
        return asdict(self)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Errand:
        """Return the errand that `to_plain` was made from."""
        policy = Policy.from_plain(data["policy"])
        return cls(**(dict(data) | {"policy": policy, "preload": tuple(data["preload"])}))
