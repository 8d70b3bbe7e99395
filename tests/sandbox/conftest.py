"""Sandboxes that the tests share, one a level, and a watch that no test leaves a process behind."""

from __future__ import annotations

import contextlib
import os
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.sandbox import levels
from grader.sandbox.client import Limits, Sandbox, Worker

LEVELS = [level for level in range(3) if not levels.missing(level)]
BRIEF = Limits(wall=10.0)


class Sandboxes:
    """One sandbox a level, made when first asked for."""

    def __init__(self) -> None:
        self.made: dict[int, Sandbox] = {}

    def at(self, level: int) -> Sandbox:
        if level not in self.made:
            self.made[level] = Sandbox(level)
        return self.made[level]

    def watch(self, sandbox: Sandbox) -> Sandbox:
        """Know a module's own sandbox, whose zygotes are no strays."""
        self.made[-id(sandbox)] = sandbox
        return sandbox


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[Sandboxes]:
    found = Sandboxes()
    yield found
    for sandbox in found.made.values():
        sandbox.close()


@pytest.fixture(params=LEVELS, ids=lambda level: f"level{level}")
def sandbox(request: pytest.FixtureRequest, sandboxes: Sandboxes) -> Sandbox:
    return sandboxes.at(request.param)


@pytest.fixture
def best(sandboxes: Sandboxes) -> Sandbox:
    return sandboxes.at(LEVELS[-1])


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of a submission: ``write("numpy_stage.py", text)``."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / "submission" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write_file


@pytest.fixture
def run(write: Callable[..., Path]) -> Iterator[Callable[..., Worker]]:
    """Start a worker with a stage given as text: ``run(sandbox, text, flavor="numpy", ...)``."""
    with contextlib.ExitStack() as stack:

        def start(sandbox: Sandbox, text: str, flavor: str = "numpy", **more: object) -> Worker:
            stage = write(f"{flavor}_stage.py", text)
            more.setdefault("limits", BRIEF)
            return stack.enter_context(sandbox.worker(flavor, stage, **more))

        yield start


def call(worker: Worker, function: str, *args: object, limits: Limits | None = None):
    return worker.call("$call", {"function": function, "args": list(args)}, limits)


def strays(zygotes: set[int]) -> list[str]:
    """Processes that this test run started and that are neither a zygote nor its waiting half."""
    mark = f"for-{os.getpid()}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if not folder.name.isdigit() or int(folder.name) in zygotes:
                continue
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if mark not in words:
                continue
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            # At level 2 the zygote is the only child of the process that waits outside.
            nested = parent in zygotes and words[words.index(mark) - 2] == b"2"
            if not nested:
                found.append(f"{folder.name}, child of {parent}")
    return found


@pytest.fixture(autouse=True)
def _no_process_is_left_behind(sandboxes: Sandboxes, request: pytest.FixtureRequest):
    yield
    nurseries = [n for box in sandboxes.made.values() for n in box._nurseries.values()]
    zygotes = {nursery._process.pid for nursery in nurseries}
    deadline = time.monotonic() + 3.0
    while (left := strays(zygotes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left
