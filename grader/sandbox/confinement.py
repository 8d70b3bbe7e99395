"""The walls around a worker, in the order in which it puts them up around itself.

Level 0 limits, its own session, and refusals in Python; any POSIX system. Level 1 adds
no-new-privileges, Landlock and seccomp; Linux, no set-up. Level 2 adds user, process, network, IPC
and mount namespaces. Each wall either stands or the worker does not start.
"""

from __future__ import annotations

import os
import resource
import site
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grader.errors import SandboxError
from grader.sandbox import grants, interpreter, landlock, namespaces, orphans, refusals, seccomp

WORDS = {
    0: "practice (level 0: a separate process with limits)",
    1: "confined (level 1: Landlock, seccomp)",
    2: "confined (level 2: namespaces, Landlock, seccomp)",
}

SYSTEM = (
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/local/lib", "/lib", "/lib64",
    "/usr/share/zoneinfo", "/usr/share/locale", "/usr/share/i18n", "/etc/ld.so.cache",
    "/etc/localtime", "/sys/devices/system/cpu", "/sys/devices/system/node",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/dev/null", "/dev/zero",
    "/dev/random", "/dev/urandom",
    "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/proc/driver/nvidia",
)  # fmt: skip
PROGRAMS = ("/usr/bin", "/bin", "/usr/include", "/usr/share/gcc")
DEVICES = ("/dev/null", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0")
OPEN_FILES = 256


@dataclass(frozen=True, slots=True)
class Policy:
    """What one worker may reach. No policy allows the network.

    Attributes:
        level: Which walls are put up, 0 to 2.
        scratch: The one folder that may be written.
        readable: Folders and files that may be read, besides the interpreter's own.
        hidden: Real places of folders and files that may not be read, unless something inside is
            `readable`.
        processes: How many processes may live; 1 forbids new ones altogether.
        file: Size of one file [B].
        wordy: Whether to install the refusals in Python as well; off only to try the walls.
    """

    level: int
    scratch: str
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    processes: int = 1
    file: int = 64 << 20
    wordy: bool = field(default=True)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Policy:
        """Return a policy that came over the wire."""
        lists = {name: tuple(data[name]) for name in ("readable", "hidden")}
        return cls(**(dict(data) | lists))


def confine(policy: Policy) -> None:
    """Confine this process for ever, and go to its scratch folder.

    Raises:
        OSError: A wall cannot be put up.
        SandboxError: This process has a second thread, which a wall might not surround.
    """
    _limit(policy)
    if policy.level >= 1 and orphans.threads_of_this_process() != 1:
        raise SandboxError("the worker has more than one thread before it is confined")
    if policy.level >= 2:
        namespaces.isolate(Path(policy.scratch))
    if sys.platform == "linux":
        namespaces.drop_privileges()
    os.chdir(policy.scratch)
    allowed = grants.Grants(_readable(policy), policy.hidden)
    if policy.level >= 1:
        version = landlock.abi()
        landlock.restrict(_rules(policy, allowed))
        others_are_out_of_reach = policy.level >= 2 or version >= 6
        own_pid = None if policy.processes > 1 and others_are_out_of_reach else os.getpid()
        seccomp.restrict(processes=policy.processes, own_pid=own_pid, truncate=version >= 3)
    if policy.wordy:
        refusals.install(
            allowed, policy.scratch, processes=policy.processes, files=policy.level == 0
        )


def _limit(policy: Policy) -> None:
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, policy.file),
    ):
        _, hard = resource.getrlimit(what)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, value))


def _readable(policy: Policy) -> Iterator[str]:
    """Yield the real places of what may be read."""
    programs = PROGRAMS if policy.processes > 1 else ()
    yield from know_fixed_places()
    yield from map(os.path.realpath, (*programs, "/proc/self", policy.scratch, *policy.readable))


@cache
def know_fixed_places() -> tuple[str, ...]:
    """Return the real places of the system and the interpreter, found once for all forks."""
    own = [sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages()]
    own += filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    own.append(str(interpreter.package_folder()))
    return tuple(map(os.path.realpath, (*SYSTEM, *own)))


def _rules(policy: Policy, allowed: grants.Grants) -> Sequence[tuple[Path, landlock.Access]]:
    reading = landlock.READ
    if policy.processes > 1:
        reading |= landlock.Access.EXECUTE
    writing = landlock.READ | landlock.Access.WRITE_FILE | landlock.Access.IOCTL_DEV
    rules = [(path, reading) for path in allowed.open_paths()]
    rules += [(Path(path), writing) for path in DEVICES]
    return [*rules, (Path(policy.scratch), landlock.WRITE)]
