"""Namespaces: a worker that sees no process, no network and no writable folder but its own.

The zygote enters a user namespace with a process namespace (`enter`), where it may make further
ones. Each worker gets a `Nest`, a process namespace whose first process is a tiny shell; when that
is killed the kernel kills everything inside, however it hid. The worker itself takes the other
namespaces (`isolate`) and gives up all capabilities (`drop_privileges`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import struct
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox.libc import LIBC
from grader.sandbox.orphans import die_with_parent, prctl

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
MOUNT_SETATTR = 442
MOUNT_RDONLY = 1
AT_FDCWD, AT_RECURSIVE = -100, 0x8000

PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, AMBIENT_RAISE = 47, 2
CAPABILITY_VERSION_3 = 0x20080522
MOST_CAPABILITIES = 64
CAP_SETPCAP, CAP_SYS_ADMIN = 8, 21


def enter() -> None:
    """Move into a new user namespace and return as the first process of a new process namespace.

    The calling process stays outside, waits, and ends with its child's status.

    Raises:
        OSError: The system does not let this user make namespaces.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWPID)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child == 0:
        die_with_parent()
        _keep_across_exec((CAP_SETPCAP, CAP_SYS_ADMIN))
        return
    os.closerange(3, 4096)
    _, status = os.waitpid(child, 0)
    os._exit(abs(os.waitstatus_to_exitcode(status)))


class Nest:
    """A process namespace for one worker, entered by the next process this one starts."""

    def __init__(self) -> None:
        """Make the namespace and its first process; children go into it until `leave`.

        Raises:
            OSError: The namespace or its first process cannot be made.
        """
        self._home = os.open("/proc/self/ns/pid", os.O_RDONLY)
        reading, self._breath = os.pipe()
        try:
            _call("unshare", CLONE_NEWPID)
            # It waits for a line that never comes: its end of file is the end of this process.
            self._first = os.posix_spawn(
                "/bin/sh", ["sh", "-c", "read line"], {},
                file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)],
                setsigdef=[signal.SIGCHLD],
            )  # fmt: skip
        except OSError:
            os.close(self._breath)
            self.leave()
            raise
        finally:
            os.close(reading)

    def leave(self) -> None:
        """Start further children at home again."""
        _call("setns", self._home, CLONE_NEWPID)
        os.close(self._home)

    def destroy(self) -> None:
        """Kill every process inside, and wait until they are gone."""
        os.close(self._breath)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._first, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._first, 0)


def isolate(scratch: Path) -> None:
    """Leave the network and the shared memory of the machine; make all but `scratch` read-only.

    Raises:
        OSError: One of the steps is not possible here.
    """
    _call("unshare", CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)
    _mount("none", "/", "", MS_REC | MS_PRIVATE)
    _mount(str(scratch), str(scratch), "", MS_BIND)
    with contextlib.suppress(PermissionError):
        # Containers often forbid a fresh view of the processes. The old one is then still
        # there, and Landlock keeps all of it shut but this process's own folder.
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    _set_mount("/", AT_RECURSIVE, set_=MOUNT_RDONLY, clear=0)
    _set_mount(str(scratch), 0, set_=0, clear=MOUNT_RDONLY)


def drop_privileges() -> None:
    """Give up every capability, and the means to gain one by starting a program.

    Raises:
        OSError: The kernel refuses.
    """
    for capability in range(MOST_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # past the last capability, or none to drop for an ordinary user
            break
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    _call("capset", header, bytes(24))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def _keep_across_exec(capabilities: Sequence[int]) -> None:
    """Let a fresh interpreter isolate itself as a fork can; it is no root and would lose these."""
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    words = ctypes.create_string_buffer(24)  # effective, permitted, inheritable; twice 32 bits
    _call("capget", header, words)
    low = list(struct.unpack("<6I", words.raw))
    low[2] |= sum(1 << capability for capability in capabilities)
    _call("capset", header, struct.pack("<6I", *low))
    for capability in capabilities:
        prctl(PR_CAP_AMBIENT, AMBIENT_RAISE, capability)


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    _call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None)


def _set_mount(target: str, flags: int, *, set_: int, clear: int) -> None:
    attribute = struct.pack("<QQQQ", set_, clear, 0, 0)
    call = (ctypes.c_long(MOUNT_SETATTR), ctypes.c_long(AT_FDCWD), target.encode())
    _call("syscall", *call, ctypes.c_long(flags), attribute, ctypes.c_long(len(attribute)))


def _call(name: str, *arguments: object) -> None:
    if getattr(LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        if name == "syscall" and number == errno.ENOSYS:
            name = "mount_setattr"
        raise OSError(number, f"{name}: {os.strerror(number)}")
