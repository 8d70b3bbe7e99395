"""Attempts that a confined worker must fail at, run as probes inside a real worker.

`grader.sandbox.levels` runs them before a level counts. Each returns an empty string when the
attempt failed as it should, and otherwise says what was possible. The last ones are the other way
round: what an honest check needs must still work.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def reads_hidden_file(stage: None, case: Mapping[str, Any]) -> str:
    """Try to read a hidden file inside a readable folder."""
    try:
        Path(case["hidden_file"]).read_text()
    except OSError:
        return ""
    return "a hidden file can be read"


def lists_hidden_folder(stage: None, case: Mapping[str, Any]) -> str:
    """Try to list a hidden folder."""
    try:
        list(Path(case["hidden_file"]).parent.iterdir())
    except OSError:
        return ""
    return "a hidden folder can be listed"


def writes_outside(stage: None, case: Mapping[str, Any]) -> str:
    """Try to write beside the hidden folder."""
    try:
        Path(case["outside_file"]).write_text("here")
    except OSError:
        return ""
    return "a file outside the scratch folder can be written"


def connects(stage: None, case: Mapping[str, Any]) -> str:
    """Try to reach a listener of the driver over TCP."""
    try:
        socket.create_connection(("127.0.0.1", case["port"]), timeout=1.0).close()
    except OSError:
        return ""
    return "the network can be used"


def signals_driver(stage: None, case: Mapping[str, Any]) -> str:
    """Try to signal the driver."""
    try:
        os.kill(case["driver"], 0)
    except OSError:
        return ""
    return "the grader's own process can be signalled"


def starts_process(stage: None, case: Mapping[str, Any]) -> str:
    """Try to fork."""
    try:
        child = os.fork()
    except OSError:
        return ""
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "a process can be started"


def reads_allowed_file(stage: None, case: Mapping[str, Any]) -> str:
    """Read what may be read."""
    try:
        return "" if Path(case["allowed_file"]).read_text() else "a readable file is empty"
    except OSError as error:
        return f"a file that should be readable is not ({error})"


def writes_scratch(stage: None, case: Mapping[str, Any]) -> str:
    """Write, rename and remove in the scratch folder."""
    try:
        Path("note").write_text("here")
        Path("note").rename("other")
        Path("other").unlink()
    except OSError as error:
        return f"the scratch folder cannot be written ({error})"
    return ""


def starts_thread(stage: None, case: Mapping[str, Any]) -> str:
    """Start a thread and wait for it."""
    try:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    except RuntimeError as error:
        return f"a thread cannot be started ({error})"
    return ""


ATTEMPTS = tuple(
    function.__name__
    for function in (
        reads_hidden_file, lists_hidden_folder, writes_outside, connects, signals_driver,
        starts_process, reads_allowed_file, writes_scratch, starts_thread,
    )
)  # fmt: skip
