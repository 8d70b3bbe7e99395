"""An audit hook that says no in words: the only wall of level 0, a courtesy above it.

At level 0 this is a speed bump against accidents and curiosity. Code that calls the C library
directly walks around it, which is why the report then says "practice".
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from grader.sandbox.grants import Grants

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

NO_READING = "a check may not read this"
NO_WRITING = "a check may write only into its own folder"
NO_PROCESS = "a check may not start another process"
NO_NETWORK = "a check may not use the network"
NO_SIGNALS = "a check may not signal another process"
NO_LIMITS = "a check may not change its limits"

STARTS = frozenset(
    (
        "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system",
        "subprocess.Popen", "pty.spawn",
    )
)  # fmt: skip
NETWORK = frozenset(
    (
        "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
        "socket.gethostbyname", "socket.gethostbyaddr",
    )
)  # fmt: skip
# Where each event keeps the descriptor of the folder that its path starts from, if it has one.
WRITES = {
    "os.remove": 1, "os.rmdir": 1, "os.mkdir": 2, "os.chmod": 2, "os.chown": 3, "os.utime": 3,
    "os.truncate": None, "os.setxattr": None, "os.removexattr": None,
}  # fmt: skip
# The same for the two paths of events that have two.
MOVES = {"os.rename": (2, 3), "os.link": (2, 3), "os.symlink": (None, 2)}
LISTS = frozenset(("os.listdir", "os.scandir"))

Arguments = tuple[Any, ...]
Rule = Callable[[Arguments], None]


def install(grants: Grants, scratch: str, *, processes: int, files: bool) -> None:
    """Refuse, from now on and without a way back, what a check has no need of.

    Args:
        grants: What may be read.
        scratch: The only folder that may be written.
        processes: 1 refuses new processes.
        files: Whether to refuse files too; needless where the kernel does.
    """
    rules: dict[str, Rule] = {
        "socket.__new__": _no_socket,
        "resource.setrlimit": lambda _: _refuse(NO_LIMITS),
        "resource.prlimit": _no_new_limit,
        "os.killpg": lambda _: _refuse(NO_SIGNALS),
    }
    rules |= dict.fromkeys(NETWORK, lambda _: _refuse(NO_NETWORK))
    if processes == 1:
        rules |= dict.fromkeys(STARTS, lambda _: _refuse(NO_PROCESS))
        rules["os.kill"] = _only_itself
    if files:
        rules |= _file_rules(grants, os.path.realpath(scratch))

    def hook(event: str, arguments: Arguments) -> None:
        if (rule := rules.get(event)) is not None:
            rule(arguments)

    sys.addaudithook(hook)


def _file_rules(grants: Grants, scratch: str) -> dict[str, Rule]:
    def may_write(path: str) -> bool:
        real = os.path.realpath(path)
        return real == scratch or real.startswith(scratch + os.sep) or real == os.devnull

    def read(path: str) -> None:
        if not (grants.readable(path) or may_write(path)):
            _refuse(NO_READING, path)

    def write(path: str) -> None:
        if not may_write(path):
            _refuse(NO_WRITING, path)

    def on_open(arguments: Arguments) -> None:
        path = _path(arguments, 0, None)
        if path is not None:
            (write if arguments[2] & WRITING else read)(path)

    def on_list(arguments: Arguments) -> None:
        path = "." if arguments[0] is None else _path(arguments, 0, None)
        if path is not None:
            read(path)

    def on_write(folder: int | None, arguments: Arguments) -> None:
        path = _path(arguments, 0, folder)
        if path is not None:
            write(path)

    def on_move(folders: tuple[int | None, int | None], arguments: Arguments) -> None:
        for index, folder in enumerate(folders):
            path = _path(arguments, index, folder)
            if path is not None:
                write(path)

    rules: dict[str, Rule] = {"open": on_open}
    rules |= dict.fromkeys(LISTS, on_list)
    rules |= {event: partial(on_write, folder) for event, folder in WRITES.items()}
    return rules | {event: partial(on_move, folders) for event, folders in MOVES.items()}


def _path(arguments: Arguments, index: int, folder: int | None) -> str | None:
    """Return the path an event is about; None for a descriptor, which was opened before."""
    path = arguments[index]
    if path is None or isinstance(path, int):
        return None
    base = arguments[folder] if folder is not None else -1
    if isinstance(base, int) and base >= 0:
        return f"{os.path.realpath(f'/proc/self/fd/{base}')}/{os.fsdecode(path)}"
    return os.fsdecode(path)


def _refuse(why: str, path: Any = None) -> None:
    raise PermissionError(errno.EACCES, why, path) if path else PermissionError(errno.EACCES, why)


def _no_socket(arguments: Arguments) -> None:
    if arguments[1] != socket.AF_UNIX:  # a pair of connected unix sockets leads nowhere
        _refuse(NO_NETWORK)


def _no_new_limit(arguments: Arguments) -> None:
    if arguments[2] is not None:
        _refuse(NO_LIMITS)


def _only_itself(arguments: Arguments) -> None:
    if arguments[0] != os.getpid():
        _refuse(NO_SIGNALS)
