"""Programs of a host and the streams of a device, and a scheduler that lives every microsecond.

A truth for checks, in whole numbers: it knows no maxima and no formulas, only a clock that goes up
by one, what the host is doing, and a queue for each stream. A program is a list of dicts, as the
NumPy stage of unit 8.2 describes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.checks.draw import Draw

Op = dict[str, Any]
_SHOWN = 6


def op_of(
    name: str, stream: str | None = "main", launch: float = 0, device: float = 0, **more: Any
) -> Op:
    """Return one op of a program."""
    return {"name": name, "stream": stream, "launch": launch, "device": device, **more}


def wait_of(name: str = "sync", waits: Any = "all") -> Op:
    """Return an op of the host that does nothing but wait."""
    return op_of(name, None, waits=waits)


def told(ops: Sequence[Op]) -> str:
    """Write a program down, short enough for a sentence."""
    words = []
    for one in ops[:_SHOWN]:
        where = f"on {one['stream']}" if one["stream"] is not None else "on the host"
        more = "".join(f", {key} {one[key]}" for key in ("after", "waits") if one.get(key))
        times = f"{one.get('launch', 0)}+{one.get('device', 0)}"
        words.append(f"{one['name']} {where} {times}{more}")
    return "; ".join(words) + ("; …" if len(ops) > len(words) else "")


def random_program(
    draw: Draw,
    length: int,
    *,
    streams: Sequence[str] = ("main", "side", "copy"),
    waits: float = 0.25,
    prefix: str = "",
) -> list[Op]:
    """Return a random program: a DAG over streams, with waits of every kind.

    Args:
        draw: Where chance comes from.
        length: Number of ops.
        streams: Names of the streams.
        waits: Share of the ops that let the host wait [1].
        prefix: Of the ops' names.
    """
    ops: list[Op] = []
    work: list[str] = []
    for number in range(length):
        name = f"{prefix}{draw.name(3)}{number}"
        if draw.uniform(0, 1) < 0.15:
            one, choices = op_of(name, None, draw.integer(0, 6)), list(work)
        else:
            one = op_of(name, draw.choice(streams), draw.integer(0, 6), draw.integer(0, 14))
            one["kind"] = draw.choice(["compute", "copy"])
            if work and draw.uniform(0, 1) < 0.4:
                one["after"] = draw.shuffled(work)[: draw.integer(1, 2)]
            choices = [*work, name]
        if choices and draw.uniform(0, 1) < waits:
            one["waits"] = draw.choice(["all", draw.shuffled(choices)[:1], draw.shuffled(choices)])
        work += [name] if one["stream"] is not None else []
        ops.append(one)
    return ops


@dataclass
class _World:
    """Everything at one moment: what the host does, and what is in the queues.

    The host is between ops (``next``), ``launching``, ``waiting``, paying for the wait (``after``)
    or ``through`` with its op.
    """

    program: list[Op]
    sync: int
    now: int = 0
    state: str = "next"
    left: int = 0
    through: int = 0
    current: Op = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    handed: list[str] = field(default_factory=list)
    queues: dict[str, list[tuple[Op, list[int]]]] = field(default_factory=dict)
    rows: dict[str, dict[str, int | None]] = field(default_factory=dict)

    def ended(self, names: Sequence[str]) -> bool:
        """Whether the work of all these ops is over."""
        return all(self.rows[name]["end"] is not None for name in names)

    def host(self) -> bool:
        """Let the host take one step that needs no time; return whether it did."""
        if self.state == "next" and self.program:
            self.current = self.program.pop(0)
            self.rows[self.current["name"]]["called"] = self.now
            self.state, self.left = "launching", self.current.get("launch", 0)
        elif self.state == "launching" and self.left == 0:
            self._hand_over()
        elif self.state == "waiting" and self.ended(self.targets):
            self.state, self.left = "after", self.sync
        elif self.state == "through" or (self.state == "after" and self.left == 0):
            self.rows[self.current["name"]]["returned"] = self.through = self.now
            self.state = "next"
        else:
            return False
        return True

    def _hand_over(self) -> None:
        one = self.current
        if one["stream"] is not None:
            queue = self.queues.setdefault(one["stream"], [])
            queue.append((one, [one.get("device", 0)]))
            self.handed.append(one["name"])
        waits = one.get("waits", [])
        self.targets = list(self.handed) if isinstance(waits, str) else list(waits)
        self.state = "waiting" if len(waits) else "through"

    def device(self) -> bool:
        """Let each stream start or end its first work; return whether one did."""
        moved = False
        for queue in self.queues.values():
            if not queue:
                continue
            one, left = queue[0]
            row = self.rows[one["name"]]
            if row["start"] is None and self.ended(one.get("after", [])):
                row["start"], moved = self.now, True
            elif row["start"] is not None and left[0] == 0:
                row["end"], moved = self.now, True
                queue.pop(0)
        return moved

    def tick(self) -> None:
        """Let one microsecond pass."""
        self.now += 1
        if self.state in ("launching", "after"):
            self.left -= 1
        for queue in self.queues.values():
            if queue and self.rows[queue[0][0]["name"]]["start"] is not None:
                queue[0][1][0] -= 1

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.state == "next" and not any(self.queues.values())


def lived(ops: Sequence[Op], sync: int = 1) -> dict[str, Any]:
    """Return when everything happens in a program: ``ops``, ``host``, ``device`` and ``total``.

    Args:
        ops: The program; its times are whole numbers [us].
        sync: What a wait costs the host in itself [us].
    """
    keys = ("called", "returned", "start", "end")
    rows: dict[str, dict[str, int | None]] = {one["name"]: dict.fromkeys(keys) for one in ops}
    world = _World(list(ops), sync, rows=rows)
    while True:
        while world.host() or world.device():
            pass
        if world.over:
            break
        world.tick()
    last = max((row["end"] for row in rows.values() if row["end"] is not None), default=0)
    return {
        "ops": rows,
        "host": world.through,
        "device": last,
        "total": max(world.through, last),
    }


def between_marks(before: Sequence[Op], region: Sequence[Op], sync: int = 1) -> int:
    """Return the time between two events around a region [us]: marks are work of no length.

    Args:
        before: What the host does before the first mark.
        region: What lies between the marks; its ops that have a stream have the same one.
        sync: What a wait costs the host in itself [us].
    """
    (stream,) = {one["stream"] for one in region if one["stream"] is not None}
    marks = [op_of(f"mark{number}", stream) for number in range(2)]
    rows = lived([*before, marks[0], *region, marks[1]], sync)["ops"]
    end: int = rows["mark1"]["end"] - rows["mark0"]["end"]
    return end


class OneStream:
    """A host and one stream as two numbers, for timers that are called and not simulated.

    Attributes:
        host: The host's time [us].
        free: When the stream has ended what it has [us].
    """

    def __init__(self, case: Mapping[str, Any]) -> None:
        """Start at 0, with ``old`` work in the stream; launches and waits cost what `case` says."""
        self._launch, self._sync = case["launch"], case["sync"]
        self.host: int = 0
        self.free: int = case.get("old", 0)

    def work(self, *works: int) -> None:
        """Hand works over."""
        for one in works:
            self.host += self._launch
            self.free = max(self.free, self.host) + one

    def wait(self) -> None:
        """Let the host wait for all of them."""
        self.host = max(self.host, self.free) + self._sync

    def mark(self) -> int:
        """Return when an event that is recorded now is reached [us]."""
        return max(self.host, self.free)
