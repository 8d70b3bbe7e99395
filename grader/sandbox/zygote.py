"""The process that workers come from: it holds the imported libraries and none of the secrets.

It is started by exec with an emptied environment, imports what its flavour needs, takes one warm
step, loads the unit's probes, and from then on does three things: start a worker, kill a worker,
tell how one ended. A worker starts as a fork, or, where fork is unsafe, as a fresh interpreter.
What the worker is for goes from the driver straight to it; the zygote sees only descriptors.

Messages on the control socket are lines of JSON::

    driver: {"op": "warm", "flavor", "packages", "preload", "probes"}
            {"op": "start", "n", "may_fork"} with three descriptors
            {"op": "kill", "n"}
    zygote: {"op": "warm", "problem"}
            {"op": "failed", "n", "problem"}
            {"op": "ended", "n", "status", "cpu", "orphans"}
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.sandbox import confinement, flavors, interpreter, namespaces, orphans, worker
from grader.sandbox.equipment import Equipment

DESCRIPTORS = 3


@dataclass(frozen=True, slots=True)
class Living:
    """A worker that has not ended: its process, and the nest of namespaces it lives in."""

    pid: int
    may_fork: bool
    nest: namespaces.Nest | None


def main(arguments: Sequence[str]) -> None:
    """Serve until the driver closes the control socket.

    Args:
        arguments: The start method, the level, the control socket's descriptor; further ones
            are for whoever reads the process list.
    """
    start, level, descriptor = arguments[0], int(arguments[1]), int(arguments[2])
    if level >= 2:
        namespaces.enter()  # returns in a child that is the first process of its own namespace
    orphans.adopt()
    with socket.socket(fileno=descriptor) as control:
        zygote = Zygote(control, start, nested=level >= 2)
        zygote.serve()


class Zygote:
    """Starts, kills and buries workers."""

    def __init__(self, control: socket.socket, start: str, *, nested: bool) -> None:
        """Talk on `control`; give each worker namespaces of its own when `nested`."""
        self._control = control
        self._start = start
        self._nested = nested
        self._living: dict[int, Living] = {}
        self._equipment: Equipment | None = None
        self._text = b""
        self._descriptors: list[int] = []
        self._bell, ring = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(ring, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Answer the driver; when it is gone, leave no process behind."""
        status = 1
        try:
            while self._turn():
                pass
            status = 0
        except Exception:
            traceback.print_exc()  # the driver shows its last line
        finally:
            for living in self._living.values():
                self._kill(living)
            if not self._nested:  # there, the end of this process is the end of all
                orphans.sweep(spare=())
            os._exit(status)

    def _turn(self) -> bool:
        ready, _, _ = select.select([self._control.fileno(), self._bell], [], [])
        if self._bell in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._bell, 4096)
            self._bury()
        if self._control.fileno() in ready:
            data, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 16)
            if not data:
                return False
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            self._descriptors += descriptors
            self._text += data
            for message in self._messages():
                self._obey(message)
        return True

    def _messages(self) -> Iterator[dict[str, Any]]:
        *lines, self._text = self._text.split(b"\n")
        for line in lines:
            yield json.loads(line)

    def _tell(self, message: Mapping[str, Any]) -> None:
        self._control.sendall(json.dumps(message).encode() + b"\n")

    def _obey(self, message: Mapping[str, Any]) -> None:
        if message["op"] == "warm":
            self._warm(message)
        elif message["op"] == "start":
            ours, self._descriptors = (
                self._descriptors[:DESCRIPTORS],
                self._descriptors[DESCRIPTORS:],
            )
            try:
                self._begin(message, ours)
            except OSError as error:
                self._tell({"op": "failed", "n": message["n"], "problem": str(error)})
            finally:
                for descriptor in ours:
                    os.close(descriptor)
        elif message["op"] == "kill" and message["n"] in self._living:
            self._kill(self._living[message["n"]])

    def _warm(self, message: Mapping[str, Any]) -> None:
        problem = ""
        if self._start == "fork":
            try:
                flavors.warm(message["flavor"], message["packages"], message["preload"])
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            confinement.know_fixed_places()
            if message["probes"] and not problem:
                with contextlib.suppress(Exception):  # each worker tries again, and can say so
                    self._equipment = Equipment.load(message["probes"])
            gc.collect()
            gc.disable()
            gc.freeze()  # so that a collection in a worker does not copy every page
        self._tell({"op": "warm", "problem": problem})

    def _begin(self, message: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        threads = orphans.threads_of_this_process()
        if self._start == "fork" and threads != 1:
            raise OSError(f"the zygote has {threads} threads, so its forks could hang")
        nest = namespaces.Nest() if self._nested else None
        try:
            pid = self._fork(descriptors) if self._start == "fork" else self._spawn(descriptors)
        except OSError:
            if nest is not None:
                nest.leave()
                nest.destroy()
            raise
        if nest is not None:
            nest.leave()
        self._living[message["n"]] = Living(pid, message["may_fork"], nest)

    def _fork(self, descriptors: Sequence[int]) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                orphans.die_with_parent()
                worker.be_born(self._equipment, *descriptors)
            finally:
                os._exit(70)
        return pid

    def _spawn(self, descriptors: Sequence[int]) -> int:
        requests, answers, output = descriptors
        silence = os.open(os.devnull, os.O_RDONLY)
        pairs = ((silence, 0), (output, 1), (output, 2), (requests, 3), (answers, 4))
        # First out of the way of the final numbers, then onto them.
        actions: list[tuple[int, ...]] = [
            (os.POSIX_SPAWN_DUP2, fd, 200 + number) for fd, number in pairs
        ]
        actions += [(os.POSIX_SPAWN_DUP2, 200 + number, number) for _, number in pairs]
        actions += [(os.POSIX_SPAWN_CLOSE, 200 + number) for _, number in pairs]
        line = interpreter.command("grader.sandbox.worker")
        try:
            return os.posix_spawn(
                sys.executable, line, os.environ, file_actions=actions, setsid=True,
                setsigdef=[signal.SIGCHLD],
            )  # fmt: skip
        finally:
            os.close(silence)

    def _kill(self, living: Living) -> None:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(living.pid, signal.SIGKILL)

    def _bury(self) -> None:
        """Reap whoever ended, kill what a worker left behind, and tell the driver."""
        while True:
            try:
                seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if seen is None:
                return
            for n, living in list(self._living.items()):
                if living.pid == seen.si_pid:
                    self._kill(living)  # its group; its number is not free before it is reaped
                    self._end(n, living)
                    break
            else:
                os.waitpid(seen.si_pid, 0)

    def _end(self, n: int, living: Living) -> None:
        _, status, usage = os.wait4(living.pid, 0)
        del self._living[n]
        if living.nest is not None:
            living.nest.destroy()
        swept = self._sweep()
        cpu = usage.ru_utime + usage.ru_stime
        code = os.waitstatus_to_exitcode(status)
        self._tell({"op": "ended", "n": n, "status": code, "cpu": cpu, "orphans": swept})

    def _sweep(self) -> int:
        """Kill processes that outlived their worker.

        An orphan does not tell whose it is. While another worker that may start processes lives,
        it could be that one's, and is left until that worker has ended too.
        """
        if self._nested or any(living.may_fork for living in self._living.values()):
            return 0
        return orphans.sweep(spare=[living.pid for living in self._living.values()])
