"""A seccomp filter: system calls that a worker does not need fail, whatever their arguments.

The filter is classic BPF, assembled here: check the machine, then one short block a call. Calls
without a condition cost nothing at run time, the kernel remembers that they are always allowed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from grader.sandbox import syscalls
from grader.sandbox.libc import LIBC

SET_MODE_FILTER, FLAG_TSYNC = 1, 1
SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
AT_NUMBER, AT_MACHINE, AT_ARGUMENTS = 0, 4, 16

CLONE_THREAD = 0x00010000
CLONE_NEW_ANYTHING = 0x7E020000

Instruction = tuple[int, int, int, int]


def restrict(*, processes: int, own_pid: int | None, truncate: bool) -> None:
    """Install the filter on all threads of this process, for ever.

    Args:
        processes: 1 forbids new processes and programs; more allows both.
        own_pid: The only process that may be signalled; None leaves signals to another wall.
        truncate: Whether `truncate` by path may be called.

    Raises:
        OSError: The kernel refuses, or this machine's calls are not known here.
    """
    machine = platform.machine()
    if machine not in syscalls.NUMBERS:
        raise OSError(f"no seccomp filter is written for {machine}")
    filter_ = assemble(machine, processes=processes, own_pid=own_pid, truncate=truncate)
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in filter_)
    block = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    program = Program(len(filter_), ctypes.addressof(block))
    number = ctypes.c_long(SECCOMP_CALL[machine])
    if LIBC.syscall(number, SET_MODE_FILTER, FLAG_TSYNC, ctypes.byref(program)) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"seccomp: {os.strerror(error)}")


def assemble(
    machine: str, *, processes: int, own_pid: int | None, truncate: bool
) -> list[Instruction]:
    """Return the filter as instructions: code, jump if true, jump if false, operand."""
    numbers = syscalls.NUMBERS[machine]
    program: list[Instruction] = [
        (LOAD, 0, 0, AT_MACHINE),
        (JUMP_EQUAL, 1, 0, numbers.audit),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, AT_NUMBER),
        (JUMP_AT_LEAST, 0, 1, syscalls.LAST_KNOWN + 1),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
    ]
    refused = syscalls.REFUSED[machine] | syscalls.REFUSED_EVERYWHERE
    for number in refused.values():
        program += _block(number, [(RETURN, 0, 0, FAIL | errno.EPERM)])
    for number in syscalls.IGNORED[machine].values():
        program += _block(number, [(RETURN, 0, 0, FAIL | 0)])
    # The C library falls back to clone, whose flags a filter can see.
    program += _block(numbers.clone3, [(RETURN, 0, 0, FAIL | errno.ENOSYS)])
    if processes == 1:
        program += _block(numbers.clone, _needs_bit(0, CLONE_THREAD))
        for number in (numbers.fork, numbers.vfork, numbers.execve, numbers.execveat):
            program += _block(number, [(RETURN, 0, 0, FAIL | errno.EPERM)])
    else:
        program += _block(numbers.clone, _refuses_bits(0, CLONE_NEW_ANYTHING))
    if own_pid is not None:
        program += _block(numbers.kill, _needs_value(0, own_pid))
        program += _block(numbers.tgkill, _needs_value(0, own_pid))
    program += _block(numbers.prlimit64, _needs_null(2))
    if not truncate:
        program += _block(numbers.truncate, [(RETURN, 0, 0, FAIL | errno.EPERM)])
    return [*program, (RETURN, 0, 0, ALLOW)]


def _block(number: int, body: list[Instruction]) -> list[Instruction]:
    if number == 0:
        return []
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _low(argument: int) -> Instruction:
    return (LOAD, 0, 0, AT_ARGUMENTS + 8 * argument)


def _high(argument: int) -> Instruction:
    return (LOAD, 0, 0, AT_ARGUMENTS + 8 * argument + 4)


def _needs_bit(argument: int, bit: int) -> list[Instruction]:
    return [_low(argument), (JUMP_ANY_BIT, 1, 0, bit), *_refuse_or_allow()]


def _refuses_bits(argument: int, bits: int) -> list[Instruction]:
    return [_low(argument), (JUMP_ANY_BIT, 0, 1, bits), *_refuse_or_allow()]


def _needs_value(argument: int, value: int) -> list[Instruction]:
    return [_low(argument), (JUMP_EQUAL, 1, 0, value), *_refuse_or_allow()]


def _needs_null(argument: int) -> list[Instruction]:
    return [
        _low(argument),
        (JUMP_EQUAL, 0, 2, 0),
        _high(argument),
        (JUMP_EQUAL, 1, 0, 0),
        *_refuse_or_allow(),
    ]


def _refuse_or_allow() -> list[Instruction]:
    return [(RETURN, 0, 0, FAIL | errno.EPERM), (RETURN, 0, 0, ALLOW)]
