"""Stop a child process at each system call that can change files, before the call acts.

The kernel stops the calls (seccomp's user notification, Linux 5.5 or newer): no root, no debugger,
no other program, and it works inside a confined worker that may start a process, whose walls stay
up. Calls of C and C++ code are stopped like those of Python.

Parent and child share one table of descriptors, so that the parent can ask what a descriptor of the
child leads to; nothing is read from the child's memory.

Blind to: stores through a memory map, and calls that a 32-bit program would make.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import select
import signal
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
CALLS: dict[str, dict[str, int]] = {
    "x86_64": {
        "write": 1, "open": 2, "pwrite64": 18, "writev": 20, "sendfile": 40, "fsync": 74,
        "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84,
        "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "sync": 162, "openat": 257,
        "mkdirat": 258, "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266,
        "splice": 275, "fallocate": 285, "pwritev": 296, "syncfs": 306, "renameat2": 316,
        "copy_file_range": 326, "pwritev2": 328, "openat2": 437,
    },
    "aarch64": {
        "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38,
        "truncate": 45, "ftruncate": 46, "fallocate": 47, "openat": 56, "write": 64, "writev": 66,
        "pwrite64": 68, "pwritev": 70, "sendfile": 71, "splice": 76, "sync": 81, "fsync": 82,
        "fdatasync": 83, "syncfs": 267, "renameat2": 276, "copy_file_range": 285, "pwritev2": 287,
        "openat2": 437,
    },
}  # fmt: skip
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
_SECCOMP = {"x86_64": 317, "aarch64": 277}

_SHARE_DESCRIPTORS = 0x400
_SET_FILTER, _NEW_LISTENER = 1, 1 << 3
_NO_NEW_PRIVILEGES = 38
_ASK, _ALLOW, _FAIL = 0x7FC00000, 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_AT_NUMBER, _AT_MACHINE = 0, 4
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTICE = 80  # [B] struct seccomp_notif
_LISTENER, _SAID = 0, 4  # [B] offsets in the shared page: a descriptor, and the length of a text
_PATIENCE = 15.0  # [s] between two calls of the child

Stop = Callable[[str, tuple[int, ...]], int]
"""Called at each stop with the call's name and arguments; 0 lets it go on, else it fails so."""


def run_stopped(run: Callable[[], Any], stop: Stop) -> str:
    """Run a function in a child process and call `stop` before each call that can change files.

    Args:
        run: The function. What it returns is lost.
        stop: See `Stop`. It runs in this process while the child stands still.

    Returns:
        Class and message of what the function raised, ``"ended"`` if the process ended without a
        word, and nothing if it returned.

    Raises:
        OSError: This machine, or the walls around this process, do not allow it.
    """
    if platform.system() != "Linux" or platform.machine() not in CALLS:
        raise OSError(errno.ENOSYS, f"system calls cannot be stopped on {platform.machine()}")
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    _number(shared, _LISTENER).value = _number(shared, _SAID).value = -1
    before = _descriptors()
    child = _fork_sharing_descriptors()
    if child == 0:
        _be_stopped(run, shared)
    try:
        listener = _listener(shared, child)
        _serve(listener, stop)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for descriptor in _descriptors() - before:
            os.close(descriptor)
    return _said(shared)


def _number(shared: mmap.mmap, place: int) -> ctypes.c_int:
    """Return a number in shared memory, which is set in one store: struct would zero it first."""
    return ctypes.c_int.from_buffer(shared, place)


def _descriptors() -> set[int]:
    listed = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    return set(filter(_is_open, listed))  # without the one that listed them


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _said(shared: mmap.mmap) -> str:
    size = _number(shared, _SAID).value
    return "ended" if size < 0 else bytes(shared[8 : 8 + size]).decode("utf-8", "replace")


def _listener(shared: mmap.mmap, child: int) -> int:
    """Wait until the child is watched; return the descriptor that tells of its calls."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        listener = _number(shared, _LISTENER).value
        if listener >= 0:
            return listener
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.0005)
    raise OSError(errno.EPERM, f"system calls cannot be stopped here: {_said(shared)}")


def _serve(listener: int, stop: Stop) -> None:
    """Answer each stopped call until the child is gone, or stands still too long."""
    names = {number: name for name, number in CALLS[platform.machine()].items()}
    libc = ctypes.CDLL(None, use_errno=True)
    poller = select.poll()
    poller.register(listener, select.POLLIN)
    notice = ctypes.create_string_buffer(_NOTICE)
    while True:
        events = poller.poll(_PATIENCE * 1000)
        if not events or not events[0][1] & select.POLLIN:
            return
        ctypes.memset(notice, 0, _NOTICE)
        if libc.ioctl(listener, ctypes.c_ulong(_RECEIVE), notice) != 0:
            return
        (number,) = struct.unpack_from("<i", notice, 16)
        error = stop(names[number], struct.unpack_from("<6Q", notice, 32))
        (mark,) = struct.unpack_from("<Q", notice, 0)
        answer = struct.pack("<QqiI", mark, 0, -error, 0 if error else _CONTINUE)
        libc.ioctl(listener, ctypes.c_ulong(_SEND), ctypes.create_string_buffer(answer, 24))


def _fork_sharing_descriptors() -> int:
    """Fork, but with one table of descriptors for both processes.

    Raises:
        OSError: No process may be started.
    """
    python, libc = ctypes.pythonapi, ctypes.PyDLL(None, use_errno=True)
    flags = ctypes.c_ulong(_SHARE_DESCRIPTORS | signal.SIGCHLD)
    number = ctypes.c_long(_CLONE[platform.machine()])
    python.PyOS_BeforeFork()
    child = int(libc.syscall(number, flags, None, None, None, None))
    if child == 0:
        python.PyOS_AfterFork_Child()
        return child
    code = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if child < 0:
        raise OSError(code, f"fork: {os.strerror(code)}")
    return child


def _be_stopped(run: Callable[[], Any], shared: mmap.mmap) -> None:
    """Be the child: from the filter on, each of the calls waits for the parent."""
    said = ""
    try:
        _number(shared, _LISTENER).value = _ask_for_calls()
        run()
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    data = said.encode("utf-8", "replace")[: mmap.PAGESIZE - 8]
    shared[8 : 8 + len(data)] = data
    _number(shared, _SAID).value = len(data)
    os._exit(0)


def _ask_for_calls() -> int:
    """Install the filter on this thread; return the descriptor that the parent listens to."""
    machine = platform.machine()
    program = [
        (_LOAD, 0, 0, _AT_MACHINE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    for number in CALLS[machine].values():
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ASK)]
    program.append((_RETURN, 0, 0, _ALLOW))
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
    block = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    filter_ = Program(len(program), ctypes.addressof(block))
    call = ctypes.c_long(_SECCOMP[machine])
    found = int(libc.syscall(call, _SET_FILTER, _NEW_LISTENER, ctypes.byref(filter_)))
    if found < 0:
        code_ = ctypes.get_errno()
        raise OSError(code_, f"seccomp: {os.strerror(code_)}")
    return found
