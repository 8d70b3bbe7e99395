"""What a check may use, and the sentence for each limit that was met."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import SandboxError

OUTPUT_CUT = "[output cut here: the check keeps the first {size}]"
TOO_MANY_PROCESSES = "stopped: started more processes than the check allows"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use. Start-up and the import of torch are never charged.

    Attributes:
        wall: Time on the driver's monotonic clock, from request to answer [s]. Longer than `cpu`:
            what waits for a processor on a busy machine is not stopped for it.
        cpu: Processor time of the worker and its descendants [s].
        memory: Memory beyond what the worker held when it was ready [B].
        processes: How many processes may live at once, the worker included. With more than one,
            programs such as a compiler can run; sockets stay shut, so that libraries which pass
            data between processes through them (a torch `DataLoader` with workers) do not work.
        output: How much of stdout and stderr is kept; the rest is read and dropped [B].
        file: The size of one file the worker writes [B]; its folder may hold eight times that.
    """

    wall: float = 60.0
    cpu: float = 20.0
    memory: int = 2 << 30
    processes: int = 1
    output: int = 256 << 10
    file: int = 64 << 20

    def __post_init__(self) -> None:
        """Refuse limits that cannot be kept."""
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise SandboxError(
                    f"the limit `{name}` must be positive, not {getattr(self, name)}"
                )

    @property
    def folder(self) -> int:
        """What all files of the scratch folder may take together [B]."""
        return 8 * self.file

    def over_wall(self) -> str:
        """Return the sentence for a call that took too long."""
        return f"stopped after {seconds(self.wall)}: the check's time limit"

    def over_cpu(self) -> str:
        """Return the sentence for a call that used too much processor time."""
        return f"stopped: used more than {seconds(self.cpu)} of processor time"

    def over_memory(self) -> str:
        """Return the sentence for a call that used too much memory."""
        return f"stopped: used more than {size(self.memory)} of memory"

    def over_folder(self) -> str:
        """Return the sentence for a call that filled its scratch folder."""
        return f"stopped: wrote more than {size(self.folder)} into its folder"


def seconds(value: float) -> str:
    """Return a time as a person says it: ``20 s``, ``0.5 s``."""
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"


def size(value: int) -> str:
    """Return a size [B] as a person says it: ``2 GiB``, ``256 KiB``."""
    amount, unit = float(value), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.4g} {unit}"
