"""The processes in which a save is watched, and what happens when a call of it fails."""

from __future__ import annotations

import weakref
from typing import Any

from grader.instruments import crash_states, file_calls
from grader.sandbox.limits import Limits

WATCHING = Limits(processes=4)
CAN_FAIL = (*file_calls.SYNCS, "syncfs")
"""Calls that force something to the disk and can say that they failed; `sync` cannot."""

_watchers: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def watcher(subject: Any) -> Any:
    """Return the subject in a process that may start others, one for each check."""
    if subject not in _watchers:
        _watchers[subject] = subject.fresh(WATCHING)
    return _watchers[subject]


def left_at_the_end(record: file_calls.Record) -> list[crash_states.Crash]:
    """Return what a power loss may leave once all calls of a record have been made."""
    last = len(record.moments) - 1
    return [
        crash for crash in crash_states.power_loss_states(record.moments) if crash.after == last
    ]


def names_it(call: str) -> bool:
    """Whether a call gives a file its name."""
    return call.startswith(("rename", "link"))


def before_the_rename(record: file_calls.Record) -> list[str]:
    """Return the calls that come before the new file has its name; each one's first can fail.

    These are the calls that write, the first that forces something to the disk, whichever it is
    (a file that was opened with `O_DSYNC` needs none), and the one that renames.
    """
    last = next((i for i, call in enumerate(record.calls) if names_it(call)), len(record.calls))
    early = record.calls[:last]
    writes = [call for call in early if call in file_calls.WRITES]
    syncs = [call for call in early if call in CAN_FAIL]
    return list(dict.fromkeys([*writes, *syncs[:1], *record.calls[last : last + 1]]))


def after_the_rename(record: file_calls.Record) -> tuple[str, int] | None:
    """Return the first call behind the rename that forces something to the disk, if it can fail.

    With it comes how many of its kind there were before.
    """
    renamed = False
    for i, call in enumerate(record.calls):
        renamed = renamed or names_it(call)
        if renamed and call in CAN_FAIL:
            return call, record.calls[:i].count(call)
    return None
