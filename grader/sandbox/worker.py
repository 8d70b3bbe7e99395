"""The process that runs student code: confines itself, answers requests, and ends.

It begins either as a fork of a zygote or as a fresh interpreter. From then on both are alike: the
first frame on the request pipe says what this worker is for, "ready" goes back, and each further
frame is a call.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from grader.sandbox import confinement, flavors, orphans, stage
from grader.sandbox.equipment import Equipment
from grader.sandbox.errand import Errand
from grader.sandbox.plain import NotPlainError, article, place
from grader.sandbox.wire import FrameReader, encode

REQUESTS, ANSWERS = 3, 4
FIRST_FREE = 5
CALL = "$call"
BALLAST = 1 << 20  # [B] to let go when memory ran out, so that this can still be told


def main(arguments: Sequence[str]) -> None:
    """Begin as a fresh interpreter whose descriptors are in place."""
    orphans.die_with_parent()
    os.closerange(FIRST_FREE, 4096)
    _live(fresh=True)


def be_born(equipment: Equipment | None, requests: int, answers: int, output: int) -> None:
    """Begin as a fork of the zygote, with these three descriptors and none of its others."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    silence = os.open(os.devnull, os.O_RDONLY)
    # First out of the way of the final numbers, then onto them.
    moved = [
        os.dup2(fd, 200 + i) for i, fd in enumerate((silence, output, output, requests, answers))
    ]
    for number, fd in enumerate(moved):
        os.dup2(fd, number, inheritable=number < REQUESTS)
    os.closerange(FIRST_FREE, 4096)
    gc.enable()
    _live(fresh=False, equipment=equipment)


def _live(*, fresh: bool, equipment: Equipment | None = None) -> None:
    status = 70
    try:
        atexit._clear()
        wire = _Wire()
        errand = wire.receive()
        if errand is None:
            os._exit(0)
        work = _Work(Errand.from_plain(errand), wire, equipment, fresh=fresh)
        work.answer_all()
        status = 0
    finally:
        # Never through the exit handlers of the zygote, nor through the student's.
        os._exit(status)


class _Wire:
    """The two pipes to the driver, blocking."""

    def __init__(self) -> None:
        self._reader = FrameReader(most=1 << 40)  # the driver is trusted

    def receive(self) -> dict[str, Any] | None:
        """Return the next message; None when the driver has closed the pipe."""
        while True:
            count = os.readv(REQUESTS, [self._reader.room()])
            if count == 0:
                return None
            message = self._reader.took(count)
            if message is not None:
                return message

    def send(self, message: Mapping[str, Any], most: int) -> None:
        """Write a message whole."""
        for part in encode(message, most=most):
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(ANSWERS, rest) :]


class _Work:
    """What one worker holds between its calls."""

    def __init__(
        self, errand: Errand, wire: _Wire, equipment: Equipment | None, *, fresh: bool
    ) -> None:
        self._wire = wire
        self._most = errand.most
        self._path = Path(errand.stage) if errand.stage else None
        self._files = stage.Files(
            self._path.parent if self._path else None,
            Path(errand.probes) if errand.probes else None,
        )
        self._stage: ModuleType | None = None
        self._blame: tuple[str, int | None] | None = None
        self._equipment = equipment or Equipment()
        self._trusted = errand.trusted
        self._trials: dict[str, bool] = {}
        self._ballast = bytes(BALLAST)
        host_pid = Path("/proc/self").readlink() if sys.platform == "linux" else os.getpid()
        try:
            self._prepare(errand, fresh)
        except Exception as error:
            wire.send({"ready": False, "problem": f"{type(error).__name__}: {error}"}, 1 << 20)
            os._exit(71)
        wire.send({"ready": True, "pid": int(str(host_pid))}, 1 << 20)

    def _prepare(self, errand: Errand, fresh: bool) -> None:
        if fresh:
            flavors.warm(errand.flavor, errand.packages, errand.preload)
        flavors.reseed(errand.seed, devices=fresh)
        # By lines, so that what was printed is not lost when the process is killed.
        sys.stdout = _printer(1)
        sys.stderr = _printer(2)
        scratch = errand.policy.scratch
        os.environ |= {"HOME": scratch, "TMPDIR": scratch}
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{scratch}/.torchinductor"
        sys.argv = [errand.stage or ""]
        sys.modules["tempfile"].tempdir = None  # type: ignore[attr-defined]
        if self._path is not None:
            stage.open_folder(self._path.parent)
        confinement.confine(errand.policy)
        if not errand.probes:
            self._equipment = Equipment()
        elif errand.probes != self._equipment.place:
            with stage.closed_folder(self._path.parent if self._path else None):
                self._equipment = Equipment.load(errand.probes)
        if self._trusted:
            self._try_instruments()

    def _try_instruments(self) -> None:
        for name, right in self._equipment.trials().items():
            self._trials[name] = self._trials.get(name, True) and right

    def answer_all(self) -> None:
        """Answer until the driver closes the request pipe."""
        while (request := self._wire.receive()) is not None:
            try:
                answer = self._answer(request)
            except MemoryError:  # there was not even enough left to describe the first one
                answer = {"status": "memory"}
            if answer["status"] == "memory":
                self._ballast = b""
            _flush()
            self._send(request["id"], answer)

    def _send(self, call: int, answer: dict[str, Any]) -> None:
        head = {"id": call, "trials": self._trials}
        try:
            self._wire.send(head | answer, self._most)
        except NotPlainError as error:
            text = f"{place('result', error.path[1:])} {error.what}"
            self._wire.send(head | {"status": "not_plain", "stop": text}, 1 << 20)
        except MemoryError:
            self._wire.send(head | {"status": "memory"}, 1 << 20)

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._blame = None
        try:
            return {"status": "ok", "value": self._call(request["probe"], request["case"])}
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's too
            found = stage.describe(error, self._files, self._blame)
            return {"status": "memory" if _out_of_memory(error) else "raised", "error": found}

    def _call(self, probe: str, case: Any) -> Any:
        if self._path is not None and self._stage is None:
            self._blame = (self._path.name, None)
            self._stage = stage.load_stage(self._path)
            self._blame = None
        if probe == CALL:
            return self._function(case["function"])(*case.get("args", ()), **case.get("kwargs", {}))
        function = self._equipment.probes.get(probe)
        if function is None:
            raise LookupError(f"the probes have no {probe!r}")
        try:
            return function(self._stage, case)
        except AttributeError as error:
            if self._path is not None and error.obj is self._stage:
                self._blame = (self._path.name, None)
                raise AttributeError(f"{self._path.name} has no `{error.name}`") from None
            raise
        finally:
            if not self._trusted:
                self._try_instruments()

    def _function(self, name: str) -> Callable[..., Any]:
        if self._path is None:
            raise LookupError("this worker has no stage to call")
        self._blame = (self._path.name, None)
        function = getattr(self._stage, name, None)
        if function is None:
            raise AttributeError(f"{self._path.name} has no function `{name}`")
        if not callable(function):
            raise TypeError(f"`{name}` is {article(type(function).__name__)}, not a function")
        # A call with the wrong arguments fails before any line of the function runs.
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        self._blame = (self._path.name, line)
        found: Callable[..., Any] = function
        return found


def _out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def _printer(descriptor: int) -> TextIO:
    return open(descriptor, "w", 1, "utf-8", "backslashreplace", closefd=False)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the student may have closed or replaced it; only its text is lost
            continue
