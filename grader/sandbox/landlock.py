"""Landlock: this process, and all it starts, may open only what is listed here.

Rules are additive and hold for whole folders; a hidden folder inside an allowed one is kept out by
allowing its siblings (`grader.sandbox.grants`). Not covered by Landlock: whether a path exists
(`stat`), `chmod` and its kin (see `grader.sandbox.seccomp`), unix sockets with a path.

Source: Linux kernel, Documentation/userspace-api/landlock.rst, ABI 1 (5.13) to 7 (6.15).
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from enum import IntFlag
from pathlib import Path

from grader.sandbox.libc import LIBC

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1
NET_ALL = 0b11  # bind and connect over TCP
SCOPE_ALL = 0b11  # abstract unix sockets and signals


class Access(IntFlag):
    """Rights on files, as the kernel numbers them."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13  # ABI 2
    TRUNCATE = 1 << 14  # ABI 3
    IOCTL_DEV = 1 << 15  # ABI 5


READ = Access.READ_FILE | Access.READ_DIR
WRITE = (
    READ | Access.WRITE_FILE | Access.TRUNCATE | Access.REFER
    | Access.REMOVE_DIR | Access.REMOVE_FILE
    | Access.MAKE_DIR | Access.MAKE_REG | Access.MAKE_FIFO | Access.MAKE_SYM
)  # fmt: skip
ON_A_FILE = (
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)


def abi() -> int:
    """Return the kernel's Landlock version; 0 where there is none."""
    try:
        return max(0, _syscall(CREATE_RULESET, None, 0, VERSION_FLAG))
    except OSError:
        return 0


def handled(version: int) -> tuple[Access, int, int]:
    """Return what a ruleset of this ABI can govern: files, network, scopes."""
    newest = {1: Access.MAKE_SYM, 2: Access.REFER, 3: Access.TRUNCATE, 4: Access.TRUNCATE}
    last = newest.get(version, Access.IOCTL_DEV)
    files = Access((int(last) << 1) - 1)
    return files, NET_ALL if version >= 4 else 0, SCOPE_ALL if version >= 6 else 0


def restrict(rules: Iterable[tuple[Path, Access]]) -> None:
    """Confine this thread, for ever, to these paths and rights; no TCP, no signals outwards.

    Paths that do not exist are left out. The caller has set no-new-privileges and runs a single
    thread.

    Raises:
        OSError: The kernel has no Landlock or refuses the ruleset.
    """
    version = abi()
    if version < 1:
        raise OSError("this kernel has no Landlock")
    files, net, scope = handled(version)
    attribute = struct.pack("<QQQ", files, net, scope)
    attribute = attribute[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _syscall(CREATE_RULESET, attribute, len(attribute), 0)
    try:
        for path, access in rules:
            _allow(ruleset, path, access & files)
        _syscall(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # absent here, or closed to this user anyway
    try:
        if not path.is_dir():
            access &= ON_A_FILE
        rule = struct.pack("<Qi", access, descriptor)
        _syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _syscall(number: int, *arguments: bytes | int | None) -> int:
    converted = [
        ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments
    ]
    result = int(LIBC.syscall(ctypes.c_long(number), *converted))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock (system call {number}): {os.strerror(error)}")
    return result
