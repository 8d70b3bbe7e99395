"""One worker as the driver talks to it: send, read, watch the limits, and kill at the end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import selectors
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.errors import SandboxError
from grader.sandbox import orphans, usage
from grader.sandbox.answer import Answer, Raised, Status
from grader.sandbox.errand import Errand
from grader.sandbox.limits import OUTPUT_CUT, TOO_MANY_PROCESSES, Limits, size
from grader.sandbox.nursery import START_UP, End, Nursery
from grader.sandbox.wire import FrameReader, WireError, encode

TICK = 0.05  # [s] between two looks at memory and processes
FOLDER_TICK = 0.5  # [s] between two looks at the scratch folder
PATIENCE = 5.0  # [s] for the zygote to bury a worker that was killed
PIPE_SIZE = 1 << 20
CHUNK = 1 << 20
RESTARTED = (
    "the sandbox's parent process died and is started again; nothing was learned from this call"
)
PRINTABLE = dict.fromkeys((*range(32), 127), "\N{REPLACEMENT CHARACTER}")
PRINTABLE |= {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): "\n"}


class Halt(Exception):  # noqa: N818 - an outcome of the call, not an error of the driver
    """The call is over without an answer."""

    def __init__(self, status: Status, sentence: str) -> None:
        """Keep what the answer will say."""
        super().__init__(sentence)
        self.status: Status = status
        self.sentence = sentence


class Output:
    """What the worker prints: the first part kept, the rest counted and dropped."""

    def __init__(self, most: int) -> None:
        """Keep at most this much [B]."""
        self._most = most
        self._kept = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Keep what there is room for."""
        room = self._most - len(self._kept)
        self._kept += data[:room]
        self._cut = self._cut or len(data) > room

    def text(self) -> str:
        """Return it as text without control characters, with a note where it was cut."""
        text = self._kept.decode("utf-8", "replace").replace("\r\n", "\n").translate(PRINTABLE)
        return f"{text}\n{OUTPUT_CUT.format(size=size(self._most))}" if self._cut else text


class Conversation:
    """The pipes to one worker, and the watch over it."""

    def __init__(
        self,
        nursery: Nursery,
        number: int,
        errand: Errand,
        limits: Limits,
    ) -> None:
        """Have the worker started and tell it what it is for; nothing is waited for."""
        self._nursery = nursery
        self._number = number
        self._scratch = Path(errand.policy.scratch)
        self._may_fork = errand.policy.processes > 1 or errand.policy.level == 0
        self._answered = 0.0
        self._limits = limits
        self._pid = 0
        self._base_memory = 0
        self._base_data = 0
        self._halted: Answer | None = None
        self._closed = False
        self._reader = FrameReader(errand.most)
        self._output = Output(limits.output)
        their_requests, self._requests = os.pipe()
        self._answers, their_answers = os.pipe()
        self._prints, their_output = os.pipe()
        theirs = (their_requests, their_answers, their_output)
        for descriptor in (self._requests, self._answers, self._prints):
            os.set_blocking(descriptor, False)
        with contextlib.suppress(OSError, AttributeError):
            for descriptor in (self._requests, self._answers, self._prints):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        nursery.start(number, theirs, may_fork=errand.policy.processes > 1)
        for descriptor in theirs:
            os.close(descriptor)
        self._first = encode(errand.to_plain())

    def call(self, probe: str, case: Mapping[str, Any], limits: Limits) -> Answer:
        """Return the outcome of one call; see `grader.sandbox.client.Worker.call`."""
        if self._halted is not None:
            return Answer("ended", stop=f"this worker is gone ({self._halted.stop})")
        number = secrets.randbits(48)
        request = encode({"id": number, "probe": probe, "case": dict(case)})
        self._output = Output(limits.output)
        before, started = 0.0, time.monotonic()
        try:
            if self._pid == 0:
                self._wait_until_ready()
            self._output = Output(limits.output)
            before = usage.cpu(self._pid)
            memory = self._base_data + limits.memory
            usage.limit(self._pid, memory=memory, cpu_seconds=before + limits.cpu)
            started = time.monotonic()
            message = self._exchange(request, limits, before)
            wall, cpu = self._answered - started, usage.cpu(self._pid) - before
            self._drain()
            return self._read(message, number, limits, wall=wall, cpu=cpu)
        except Halt as halt:
            status, sentence = halt.status, halt.sentence
        except WireError as error:
            status = "ended"
            sentence = f"wrote bytes that are no answer into the answer pipe: {error}"
        wall = time.monotonic() - started
        end = self._end()
        cpu = end.cpu - before if end is not None else 0.0
        self._halted = Answer(status, stop=sentence, output=self._output.text(), wall=wall, cpu=cpu)
        return self._halted

    def _wait_until_ready(self) -> None:
        """Wait for the worker's start, which costs the student nothing.

        Raises:
            Halt: The zygote died under way.
            SandboxError: The worker could not be started or confined.
        """
        limits = Limits(wall=START_UP, cpu=START_UP, memory=1 << 40)
        try:
            message = self._exchange(self._first, limits, 0.0)
        except (Halt, WireError) as error:
            if not self._nursery.alive:
                raise
            self._end()
            raise SandboxError(f"a worker did not start: {error}{self._why()}") from None
        if message.get("ready") is not True:
            self._end()
            raise SandboxError(f"a worker could not be confined: {message.get('problem')}")
        self._pid = message["pid"]
        self._base_memory = usage.resident(self._pid)
        self._base_data = usage.data(self._pid) if usage.LINUX else 0

    def _why(self) -> str:
        text = self._output.text().strip()
        return f" ({text.splitlines()[-1]})" if text else ""

    def _exchange(self, parts: list[Any], limits: Limits, cpu_before: float) -> dict[str, Any]:
        """Write a frame and wait for one, watching the limits.

        Raises:
            Halt: A limit was met or the worker has ended.
            WireError: What came is no frame.
        """
        self._limits = limits
        deadline = time.monotonic() + limits.wall
        next_tick = time.monotonic() + TICK
        next_folder = time.monotonic() + FOLDER_TICK
        pending = [memoryview(part) for part in parts if len(part)]
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            selector.register(self._prints, selectors.EVENT_READ)
            selector.register(self._nursery, selectors.EVENT_READ)
            selector.register(self._requests, selectors.EVENT_WRITE)
            while True:
                now = time.monotonic()
                if now >= deadline:
                    raise Halt("stopped", limits.over_wall())
                if now >= next_tick:
                    self._watch(limits, cpu_before)
                    next_tick = now + TICK
                if now >= next_folder:
                    if usage.folder_size(self._scratch) > limits.folder:
                        raise Halt("stopped", limits.over_folder())
                    next_folder = now + FOLDER_TICK
                ready = {key.fd for key, _ in selector.select(min(deadline, next_tick) - now)}
                if self._requests in ready and not self._write(pending):
                    selector.unregister(self._requests)
                if self._prints in ready and not self._print():
                    selector.unregister(self._prints)
                if self._answers in ready:
                    message = self._read_some()
                    if message is not None:
                        return message
                if self._nursery.fileno() in ready:
                    self._nursery.pump(0)
                    if self._number in self._nursery.ended and (last := self._read_some()):
                        return last  # written just before the end
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

    def _watch(self, limits: Limits, cpu_before: float) -> None:
        """Compare what the worker uses with its limits."""
        if self._pid == 0:
            return
        others: set[int] = set()
        if self._may_fork and usage.LINUX:
            others = orphans.descendants(self._pid)
        if 1 + len(others) > limits.processes:
            raise Halt("stopped", TOO_MANY_PROCESSES)
        if sum(map(usage.cpu, (self._pid, *others))) - cpu_before > limits.cpu:
            raise Halt("stopped", limits.over_cpu())
        most = self._base_memory + limits.memory
        held = sum(map(usage.resident, (self._pid, *others)))
        if held > most and (not others or usage.together((self._pid, *others)) > most):
            raise Halt("stopped", limits.over_memory())

    def _drain(self) -> None:
        """Take in what was printed before the answer; never more than a pipe holds."""
        for _ in range(4):
            with contextlib.suppress(BlockingIOError):
                if not (data := os.read(self._prints, CHUNK)):
                    return
                self._output.add(data)
                continue
            return

    def _read(
        self, message: Mapping[str, Any], number: int, limits: Limits, *, wall: float, cpu: float
    ) -> Answer:
        """Return a message as an answer; a student may have written the message."""
        if self._reader.started or message.get("id") != number:
            raise WireError("bad-answer", "it does not answer this call")
        status, trials = message.get("status"), message.get("trials", {})
        found = message.get("error")
        error = _raised(found) if isinstance(found, dict) else None
        if type(trials) is not dict or not all(type(value) is bool for value in trials.values()):
            raise WireError("bad-answer", "its trials are not yes or no")
        seen: dict[str, Any] = {
            "output": self._output.text(), "wall": wall, "cpu": cpu, "trials": trials,
        }  # fmt: skip
        if status == "ok":
            return Answer("ok", value=message.get("value"), **seen)
        if status == "raised" and error is not None:
            return Answer("raised", error=error, **seen)
        if status == "memory":
            self._end()
            self._halted = Answer("stopped", error=error, stop=limits.over_memory(), **seen)
            return self._halted
        if status == "not_plain" and type(message.get("stop")) is str:
            return Answer("not_plain", stop=message["stop"], **seen)
        raise WireError("bad-answer", "its status is not one that an answer has")

    def _end(self) -> End | None:
        """Kill the worker and all it started; return how it ended, if the zygote could tell."""
        if self._closed:
            return self._nursery.ended.get(self._number)
        self._closed = True
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


def _raised(found: dict[str, Any]) -> Raised:
    kinds = {
        "type": str, "message": str, "stage_line": int, "stage_file": str, "source": str,
        "in_stage": bool,
    }  # fmt: skip
    for name, value in found.items():
        if name not in kinds or (value is not None and type(value) is not kinds[name]):
            raise WireError("bad-answer", "its exception is not described as exceptions are")
    if type(found.get("type")) is not str or type(found.get("message")) is not str:
        raise WireError("bad-answer", "its exception has no type or message")
    return Raised(**found)
