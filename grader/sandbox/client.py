"""The driver's side of the sandbox: make workers, call them, and always get an `Answer`."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from grader.errors import SandboxError
from grader.sandbox import confinement, devices, interpreter, levels, orphans
from grader.sandbox.answer import Answer, Raised
from grader.sandbox.conversation import Conversation
from grader.sandbox.errand import Errand
from grader.sandbox.limits import Limits
from grader.sandbox.nursery import Nursery

__all__ = ["Answer", "Limits", "Raised", "Sandbox", "Worker", "harden_driver"]

Flavor = Literal["numpy", "torch", "bare"]
PR_SET_DUMPABLE = 4
RESTARTS = 1

# What judges, and the course inside the package: a worker needs the sandbox and the instruments.
_NOT_FOR_WORKERS = (
    "_content",
    "checks",
    "cli",
    "course",
    "grading",
    "predictions",
    "report",
    "scoring",
    "submission",
)


def harden_driver() -> None:
    """Keep other processes of this user from reading the driver's memory. Linux only."""
    if sys.platform == "linux":
        orphans.prctl(PR_SET_DUMPABLE, 0)


class Sandbox:
    """Where student code runs: a zygote for each flavour, and workers from them.

    Use it as a context manager; when it ends, no process and no scratch folder of its own is left.
    """

    def __init__(
        self,
        level: int | None = None,
        packages: Mapping[str, Path] | None = None,
        preload: Sequence[str] = (),
        hidden: Sequence[Path] = (),
        start: Literal["fork", "spawn"] | None = None,
        probes: Path | None = None,
    ) -> None:
        """Choose the walls; nothing is started yet.

        Args:
            level: The level of confinement; None takes the best that this machine has.
            packages: Course packages that torch workers can import, by name.
            preload: Modules that the torch zygote imports early.
            hidden: Folders and files that no worker may read.
            start: ``fork`` from a warm zygote, or ``spawn`` a fresh interpreter each time; None
                forks on Linux and spawns elsewhere.
            probes: Probes that zygotes load early, for the workers that use these.

        Raises:
            SandboxError: This machine does not have the demanded level.
        """
        if sys.platform == "win32":
            raise SandboxError("the sandbox needs a POSIX system; on Windows, use WSL2")
        self.level = levels.best() if level is None else levels.demand(level)
        self.start = start or ("fork" if sys.platform == "linux" else "spawn")
        self._packages = {name: Path(path).resolve() for name, path in (packages or {}).items()}
        self._preload = tuple(preload)
        self._probes = _real_place(probes)
        package = interpreter.package_folder()
        own = (package / room for room in _NOT_FOR_WORKERS)
        self._hidden = tuple(Path(path).resolve() for path in (*hidden, *own))
        self._folder = Path(tempfile.mkdtemp(prefix="evidence-")).resolve()
        self._nurseries: dict[str, Nursery] = {}
        self._restarts: dict[str, int] = {}
        self._cuda: bool | None = None
        self._workers: weakref.WeakSet[Worker] = weakref.WeakSet()
        self._numbers = itertools.count(1)
        self._finalizer = weakref.finalize(self, _end, self._nurseries, self._folder)

    def __enter__(self) -> Sandbox:
        """Return the sandbox."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End everything."""
        self.close()

    def close(self) -> None:
        """End all workers and zygotes, and remove the scratch folders made here."""
        for worker in list(self._workers):
            worker.close()
        self._finalizer()

    def describe(self) -> str:
        """Return the confinement in words, for the report."""
        return confinement.WORDS[self.level]

    def start_early(self, flavor: Flavor) -> None:
        """Start a flavour's zygote without waiting for its imports."""
        self._nursery(flavor, self.start)

    def has_cuda(self) -> bool:
        """Return whether a worker can use a CUDA device; found out once."""
        if self._cuda is None:
            self._cuda = devices.may_be_there() and self._count_cuda() > 0
        return self._cuda

    def _count_cuda(self) -> int:
        probes = Path(devices.__file__)
        with self.worker("torch", probes=probes, sees_devices=True) as worker:
            answer = worker.call("count_cuda")
        return answer.value if answer.status == "ok" and isinstance(answer.value, int) else 0

    def worker(
        self,
        flavor: Flavor,
        stage: Path | None = None,
        probes: Path | None = None,
        limits: Limits | None = None,
        scratch: Path | None = None,
        *,
        seed: int | None = None,
        wordy: bool = True,
        sees_devices: bool = False,
        trusted: bool = False,
    ) -> Worker:
        """Start a worker; its start-up is waited for, and not charged, at its first call.

        Args:
            flavor: ``numpy`` or ``torch``, what it finds imported.
            stage: The student's file; None for a worker without student code.
            probes: The file with the probes, or the folder of a package with them.
            limits: What each call may use unless it says otherwise.
            scratch: The folder it may write, which then outlives it; None makes one of its own.
            seed: For all random generators; None takes one from the system.
            wordy: Whether refusals come as sentences from Python before the kernel refuses.
            sees_devices: Whether it may use an accelerator; it is then a fresh interpreter.
            trusted: Whether the stage is the course's own; instruments are tried once then.

        Raises:
            SandboxError: The zygote cannot be started.
        """
        limits = limits or Limits()
        nursery = self._nursery(flavor, "spawn" if sees_devices else self.start)
        nursery.wait_until_warm()
        own = scratch is None
        folder = Path(tempfile.mkdtemp(dir=self._folder)) if scratch is None else scratch.resolve()
        stage, probes = _real_place(stage), _real_place(probes)
        readable = [stage and stage.parent, probes, *self._packages.values()]
        policy = confinement.Policy(
            level=self.level,
            scratch=str(folder),
            readable=tuple(str(path) for path in readable if path),
            hidden=tuple(map(str, self._hidden)),
            processes=limits.processes,
            file=limits.file,
            wordy=wordy,
        )
        errand = Errand(
            policy,
            flavor,
            stage=str(stage) if stage else None,
            probes=str(probes) if probes else None,
            packages={name: str(path) for name, path in self._packages.items()},
            preload=self._preload,
            seed=seed,
            trusted=trusted,
        )
        worker = Worker(nursery, next(self._numbers), errand, limits, own_scratch=own)
        self._workers.add(worker)
        return worker

    def _nursery(self, flavor: str, start: str) -> Nursery:
        if not self._finalizer.alive:
            raise SandboxError("this sandbox is closed")
        kind = flavor if start == self.start else f"{flavor}, {start}"
        known = self._nurseries.get(kind)
        if known is not None:
            known.pump(0)  # it may have died since the last call
            if known.alive:
                return known
        if known is not None:
            self._restarts[kind] = self._restarts.get(kind, 0) + 1
            problem = known.complaint()
            known.close()
            if self._restarts[kind] > RESTARTS:
                raise SandboxError(f"the {flavor} zygote died twice: {problem}")
        self._nurseries[kind] = Nursery(
            flavor, start, self.level, self._packages, self._preload, self._probes
        )
        return self._nurseries[kind]


class Worker:
    """One process with student code; it lives from its first call until it is closed."""

    def __init__(
        self,
        nursery: Nursery,
        number: int,
        errand: Errand,
        limits: Limits,
        *,
        own_scratch: bool,
    ) -> None:
        """Start the worker; see `Sandbox.worker`."""
        self.scratch = Path(errand.policy.scratch)
        self._own_scratch = own_scratch
        self._limits = limits
        self._talk = Conversation(nursery, number, errand, limits)

    def __enter__(self) -> Worker:
        """Return the worker."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill the worker."""
        self.close()

    def call(
        self, probe: str, case: Mapping[str, Any] | None = None, limits: Limits | None = None
    ) -> Answer:
        """Run one probe and return what happened, whatever it was.

        Args:
            probe: A function of the probes file, called with the stage and the case; or ``$call``,
                which calls one function of the stage with the case's ``args`` and ``kwargs``.
            case: Plain data.
            limits: For this call alone. Its `processes` cannot exceed the worker's own.

        Raises:
            NotPlainError: The case is not plain data.
            SandboxError: The worker could not be started or confined.
        """
        return self._talk.call(probe, case or {}, limits or self._limits)

    def close(self) -> None:
        """Kill the worker and all it started, and remove its folder if it was made for it."""
        self._talk.close()
        if self._own_scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)


def _real_place(path: Path | None) -> Path | None:
    """Return a file in the real place of its folder, but do not follow a file that is a link.

    A stage that links to the solution would otherwise open the solution's folder to a student.
    """
    return None if path is None else path.parent.resolve() / path.name


def _end(nurseries: dict[str, Nursery], folder: Path) -> None:
    for nursery in nurseries.values():
        with contextlib.suppress(OSError):
            nursery.close()
    nurseries.clear()
    shutil.rmtree(folder, ignore_errors=True)
