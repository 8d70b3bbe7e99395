"""One worker as the driver talks to it: send, read, watch the limits, and kill at the end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import selectors
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader.errors import SandboxError
from grader.sandbox import orphans
from grader.sandbox.answer import Answer, Status, answer_from
from grader.sandbox.errand import Errand
from grader.sandbox.limits import Limits
from grader.sandbox.nursery import START_UP, End, Nursery
from grader.sandbox.output import Output
from grader.sandbox.plain import Buffer
from grader.sandbox.watch import TICK, Halt, Watch
from grader.sandbox.wire import FrameReader, WireError, encode

PATIENCE = 5.0  # [s] for the zygote to bury a worker that was killed
PIPE_SIZE = 1 << 20
CHUNK = 1 << 20
RESTARTED = (
    "the sandbox's parent process died and is started again; nothing was learned from this call"
)


class Conversation:
    """The pipes to one worker, and the watch over it."""

    def __init__(self, nursery: Nursery, number: int, errand: Errand, limits: Limits) -> None:
        """Have the worker started and tell it what it is for; nothing is waited for."""
        self._nursery = nursery
        self._number = number
        self._errand = errand
        self._limits = limits
        self._watch: Watch | None = None
        self._pid = 0
        self._halted: Answer | None = None
        self._closed = False
        self._reader = FrameReader(errand.most)
        self._answered = 0.0
        self._output = Output(limits.output)
        their_requests, self._requests = os.pipe()
        self._answers, their_answers = os.pipe()
        self._prints, their_output = os.pipe()
        theirs = (their_requests, their_answers, their_output)
        for descriptor in (self._requests, self._answers, self._prints):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        nursery.start(number, theirs, may_fork=errand.policy.processes > 1)
        for descriptor in theirs:
            os.close(descriptor)

    def call(self, probe: str, case: Mapping[str, Any], limits: Limits) -> Answer:
        """Return the outcome of one call; see `grader.sandbox.client.Worker.call`."""
        if self._halted is not None:
            return Answer("ended", stop=f"this worker is gone ({self._halted.stop})")
        number = secrets.randbits(48)
        request = encode({"id": number, "probe": probe, "case": dict(case)})
        self._limits, self._output = limits, Output(limits.output)
        try:
            watch = self._watch or self._wait_until_ready()
            self._output = Output(limits.output)
            watch.begin(limits)
            message = self._exchange(request, watch.look)
            wall, cpu = self._answered - watch.started, watch.cpu_of_call()
            self._drain()
            answer = answer_from(
                message, number, limits, output=self._output.text(), wall=wall, cpu=cpu
            )
        except Halt as halt:
            return self._halt(halt.status, halt.sentence)
        except WireError as error:
            return self._halt("ended", f"wrote bytes that are no answer: {error}")
        if answer.status == "stopped":  # memory ran out, and Python noticed first
            self._end()
            self._halted = answer
        return answer

    def _halt(self, status: Status, sentence: str) -> Answer:
        """Kill the worker and return the answer that says why there is none."""
        now, end, watch = time.monotonic(), self._end(), self._watch
        self._halted = Answer(
            status,
            stop=sentence,
            output=self._output.text(),
            wall=now - watch.started if watch else 0.0,
            cpu=watch.cpu_of_ended_call(end.cpu) if watch and end else 0.0,
        )
        return self._halted

    def _wait_until_ready(self) -> Watch:
        """Wait for the worker's start, which costs the student nothing.

        Raises:
            Halt: The zygote died under way.
            SandboxError: The worker could not be started or confined.
        """
        deadline = time.monotonic() + START_UP

        def look() -> float:
            if time.monotonic() > deadline:
                raise Halt("stopped", f"it was not ready after {START_UP:.0f} s")
            return 1.0

        try:
            message = self._exchange(encode(self._errand.to_plain()), look)
        except (Halt, WireError) as error:
            if not self._nursery.alive:
                raise
            self._end()
            raise SandboxError(f"a worker did not start: {error}{self._why()}") from None
        if message.get("ready") is not True:
            self._end()
            raise SandboxError(f"a worker could not be made ready: {message.get('problem')}")
        self._pid = message["pid"]
        self._nursery.living[self._number] = self._pid
        policy = self._errand.policy
        self._watch = Watch(
            self._pid,
            Path(policy.scratch),
            may_fork=policy.processes > 1 or policy.level == 0,
            strangers=lambda: self._nursery.others(self._number),
        )
        return self._watch

    def _why(self) -> str:
        text = self._output.text().strip()
        return f" ({text.splitlines()[-1]})" if text else ""

    def _exchange(self, parts: list[Buffer], look: Callable[[], float]) -> dict[str, Any]:
        """Write a frame and wait for one.

        Args:
            parts: The frame.
            look: Called again and again; raises `Halt`, or tells how long to wait at most [s].

        Raises:
            Halt: A limit was met or the worker has ended.
            WireError: What came is no frame.
        """
        pending = [memoryview(part) for part in parts if len(part)]
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            selector.register(self._prints, selectors.EVENT_READ)
            selector.register(self._nursery, selectors.EVENT_READ)
            selector.register(self._requests, selectors.EVENT_WRITE)
            while True:
                ready = {key.fd for key, _ in selector.select(look())}
                if self._requests in ready and not self._write(pending):
                    selector.unregister(self._requests)
                if self._prints in ready and not self._print():
                    selector.unregister(self._prints)
                if self._nursery.fileno() in ready:
                    self._nursery.pump(0)
                message = self._read_some()
                if message is not None:
                    return message
                self._notice_end()

    def _write(self, pending: list[memoryview]) -> bool:
        """Write what fits; return whether something is left."""
        try:
            while pending:
                count = os.write(self._requests, pending[0][:CHUNK])
                pending[0] = pending[0][count:]
                if not pending[0]:
                    pending.pop(0)
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False  # it has ended; the answer pipe and the zygote tell how
        return False

    def _print(self) -> bool:
        """Read what was printed; return whether more may come."""
        try:
            data = os.read(self._prints, CHUNK)
        except BlockingIOError:
            return True
        self._output.add(data)
        return bool(data)

    def _read_some(self) -> dict[str, Any] | None:
        """Read what has come; return the message if it is complete."""
        message = None
        while message is None:
            try:
                count = os.readv(self._answers, [self._reader.room()[:CHUNK]])
            except BlockingIOError:
                return None
            if count == 0:
                raise self._silenced()
            self._answered = time.monotonic()
            message = self._reader.took(count)
        return message

    def _silenced(self) -> Halt:
        """Return what to say when the answer pipe was closed."""
        end = self._wait_for_end(1.0)
        if end is not None:
            return self._ended(end)
        if not self._nursery.alive:
            return Halt("ended", RESTARTED)
        return Halt("ended", "closed its answer pipe unanswered")

    def _notice_end(self) -> None:
        if not self._nursery.alive:
            raise Halt("ended", RESTARTED)
        problem = self._nursery.failed.pop(self._number, None)
        if problem is not None:
            raise Halt("ended", f"could not be started: {problem}")
        end = self._nursery.ended.get(self._number)
        if end is not None:
            raise self._ended(end)

    def _ended(self, end: End) -> Halt:
        if end.status == -signal.SIGXCPU:
            return Halt("stopped", self._limits.over_cpu())
        if end.status < 0:
            return Halt("ended", f"crashed: {signal.Signals(-end.status).name}")
        return Halt("ended", f"ended itself with status {end.status} before it answered")

    def _wait_for_end(self, patience: float) -> End | None:
        deadline = time.monotonic() + patience
        while self._number not in self._nursery.ended and self._nursery.alive:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            with contextlib.suppress(BlockingIOError):
                self._output.add(os.read(self._prints, CHUNK))
            self._nursery.pump(min(left, TICK))
        return self._nursery.ended.get(self._number)

    def _drain(self) -> None:
        """Take in what was printed before the answer; never more than a pipe holds."""
        for _ in range(4):
            try:
                data = os.read(self._prints, CHUNK)
            except BlockingIOError:
                return
            if not data:
                return
            self._output.add(data)

    def _end(self) -> End | None:
        """Kill the worker and all it started; return how it ended, if the zygote could tell."""
        if self._closed:
            return self._nursery.ended.get(self._number)
        self._closed = True
        self._nursery.living.pop(self._number, None)
        if self._number not in self._nursery.ended and self._nursery.alive:
            self._nursery.kill(self._number)
        end = self._wait_for_end(PATIENCE)
        if end is None:
            self._kill_without_the_zygote()
        with contextlib.suppress(OSError):
            self._drain()
        for descriptor in (self._requests, self._answers, self._prints):
            os.close(descriptor)
        return end

    def _kill_without_the_zygote(self) -> None:
        """Kill what is known of the worker, and the zygote, which died or does not react."""
        if self._pid:
            for pid in (*orphans.descendants(self._pid), self._pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._nursery.kill_all()

    def close(self) -> None:
        """Kill the worker and all it started."""
        self._end()
        if self._halted is None:
            self._halted = Answer("ended", stop="the worker was closed")
