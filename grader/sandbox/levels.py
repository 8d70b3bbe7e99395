"""Which levels of confinement this machine really has: each is tried before it counts."""

from __future__ import annotations

import contextlib
import functools
import os
import socket
import sys
import tempfile
from pathlib import Path

from grader.errors import Problem, SandboxError
from grader.sandbox import battery
from grader.sandbox.confinement import Policy
from grader.sandbox.conversation import Conversation
from grader.sandbox.errand import Errand
from grader.sandbox.limits import Limits
from grader.sandbox.nursery import Nursery

HIGHEST = 2


def best() -> int:
    """Return the highest level whose walls stand on this machine."""
    return next(level for level in range(HIGHEST, -1, -1) if not missing(level))


def demand(level: int) -> int:
    """Return the level.

    Raises:
        SandboxError: There is no such level, or some wall of it does not stand here.
    """
    if level not in range(HIGHEST + 1):
        raise SandboxError(f"there is no confinement level {level}, only 0 to {HIGHEST}")
    if problems := missing(level):
        raise SandboxError(
            Problem(f"confinement level {level}", problem, "use a lower level, or fix this")
            for problem in problems
        )
    return level


@functools.cache
def missing(level: int) -> tuple[str, ...]:
    """Return why a level is not available, as found by a worker that tried to break out.

    Asked once in a process: the walls are the machine's and do not change under way.
    """
    if level == 0:
        return ()
    if sys.platform != "linux":
        return (f"{sys.platform} has no Landlock and no seccomp",)
    with tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        try:
            return _break_out(level, Path(folder).resolve())
        except SandboxError as error:
            return tuple(str(problem) for problem in error.problems)


def _break_out(level: int, folder: Path) -> tuple[str, ...]:
    course, hidden, scratch = folder / "course", folder / "course" / "hidden", folder / "scratch"
    hidden.mkdir(parents=True)
    scratch.mkdir()
    (course / "allowed").write_text("open")
    (hidden / "secret").write_text("secret")
    policy = Policy(level, str(scratch), (str(course),), (str(hidden),), wordy=False)
    errand = Errand(policy, "bare", probes=battery.__file__)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        case = {
            "hidden_file": str(hidden / "secret"),
            "outside_file": str(course / "outside"),
            "allowed_file": str(course / "allowed"),
            "port": listener.getsockname()[1],
            "driver": os.getpid(),
        }
        limits = Limits()
        with contextlib.closing(Nursery("bare", "fork", level, {}, ())) as nursery:
            nursery.wait_until_warm()
            with contextlib.closing(Conversation(nursery, 1, errand, limits)) as talk:
                outcomes = []
                for name in battery.ATTEMPTS:
                    answer = talk.call(name, case, limits)
                    outcomes.append(answer.value if answer.status == "ok" else f"{name}: {answer}")
    return tuple(outcome for outcome in outcomes if outcome)
