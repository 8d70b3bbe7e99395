"""The driver's end of a zygote: start it, have it start and kill workers, hear how they ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import SandboxError
from grader.sandbox import interpreter

PATIENCE = 10.0  # [s] for the zygote to kill its workers and end
START_UP = 180.0  # [s]; importing torch without byte code on a loaded machine took 19 s


@dataclass(frozen=True, slots=True)
class End:
    """How a worker ended.

    Attributes:
        status: Exit status, or minus the signal that ended it.
        cpu: Its processor time from birth to death [s].
        orphans: How many processes it left behind, all killed.
    """

    status: int
    cpu: float
    orphans: int


class Nursery:
    """One zygote process and the messages from it."""

    def __init__(
        self,
        flavor: str,
        start: str,
        level: int,
        packages: Mapping[str, Path],
        preload: Sequence[str],
        probes: Path | None = None,
    ) -> None:
        """Start the process and tell it to warm up; nothing is waited for."""
        self.flavor = flavor
        self.ended: dict[int, End] = {}
        self.failed: dict[int, str] = {}
        self.living: dict[int, int] = {}
        self.alive = True
        self._warm = False
        self._text = b""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._control, theirs = socket.socketpair()
        line = interpreter.command(
            "grader.sandbox.zygote", start, str(level), str(theirs.fileno()), f"for-{os.getpid()}"
        )
        with theirs:
            self._process = subprocess.Popen(
                line,
                env=dict(interpreter.environment(start)),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        early = {
            "packages": {name: str(path) for name, path in packages.items()},
            "preload": list(preload),
            "probes": str(probes) if probes else None,
        }
        self._send({"op": "warm", "flavor": flavor} | early)

    def others(self, n: int) -> list[int]:
        """Return the processes of the living workers but `n`."""
        return [pid for number, pid in self.living.items() if number != n]

    def fileno(self) -> int:
        """Return the control socket's descriptor, for a selector."""
        return self._control.fileno()

    def wait_until_warm(self) -> None:
        """Wait for the zygote's imports.

        Raises:
            SandboxError: It failed, or took longer than three minutes.
        """
        deadline = time.monotonic() + START_UP
        while self.alive and not self._warm:
            if time.monotonic() > deadline:
                raise SandboxError(f"the {self.flavor} zygote was not ready after {START_UP:.0f} s")
            self.pump(0.1)
        if not self._warm:
            raise SandboxError(f"the {self.flavor} zygote did not start: {self.complaint()}")

    def start(self, n: int, descriptors: Sequence[int], *, may_fork: bool) -> None:
        """Have worker `n` started with these descriptors: requests, answers, output."""
        self._send({"op": "start", "n": n, "may_fork": may_fork}, descriptors)

    def kill(self, n: int) -> None:
        """Have worker `n` and all it started killed; `ended` tells when that is done."""
        self._send({"op": "kill", "n": n})

    def pump(self, timeout: float) -> None:
        """Take in what the zygote says, waiting at most `timeout` [s] for it."""
        if not self.alive or not select.select([self._control], [], [], timeout)[0]:
            return
        try:
            data = self._control.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.alive = False
            return
        *lines, self._text = (self._text + data).split(b"\n")
        for line in lines:
            self._hear(json.loads(line))

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message["op"] == "warm":
            self._warm = True
            if message["problem"]:
                raise SandboxError(f"the {self.flavor} zygote cannot import: {message['problem']}")
        elif message["op"] == "ended":
            end = End(message["status"], message["cpu"], message["orphans"])
            self.ended[message["n"]] = end
        elif message["op"] == "failed":
            self.failed[message["n"]] = message["problem"]

    def _send(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        data = json.dumps(message).encode() + b"\n"
        try:
            if descriptors:
                sent = socket.send_fds(self._control, [data], list(descriptors))
                data = data[sent:]
            self._control.sendall(data)
        except OSError:
            self.alive = False

    def complaint(self) -> str:
        """Return the last line the zygote wrote before it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with status {self._process.returncode}"

    def kill_all(self) -> None:
        """Kill the zygote without asking it; its workers die with it."""
        self.alive = False
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the zygote; it kills its workers first."""
        self._control.close()
        self.alive = False
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill_all()
        self._complaints.close()
