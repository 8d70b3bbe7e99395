"""What a function does to a folder, against what was asked of it and against strace's kills."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.instruments import file_calls, stopped_calls
from grader.instruments.crash_states import kill_states
from grader.sandbox.client import Sandbox
from grader.sandbox.limits import Limits

OLD, NEW = b"old" * 10, b"new" * 5000


def atomic(folder: Path) -> None:
    temporary = folder / "run.tmp"
    with temporary.open("wb") as file:
        file.write(NEW)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / "run.bin")
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


SCRIPT = f"""
import os, sys
from pathlib import Path
NEW = {NEW!r}
{{source}}
atomic(Path(sys.argv[1]))
"""


def watch(run, folder, **options):
    try:
        return file_calls.watch(run, folder, tool=file_calls.SYSTEM_CALLS, **options)
    except OSError as error:
        pytest.skip(f"system calls cannot be stopped here: {error}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "run"
    place.mkdir()
    (place / "run.bin").write_bytes(OLD)
    return place


@pytest.mark.parametrize("tool", [file_calls.SYSTEM_CALLS, file_calls.PYTHON])
def test_both_tools_see_the_same_moments(tool: str, folder: Path) -> None:
    record = watch(lambda: atomic(folder), folder) if tool == file_calls.SYSTEM_CALLS else None
    record = record or file_calls.watch(lambda: atomic(folder), folder, tool=tool)
    sizes = [
        {name: len(moment.files[file]) for name, file in moment.names.items()}
        for moment in record.moments
    ]
    assert record.raised == ""
    assert record.tool == tool
    assert sizes == [
        {"run.bin": 30},
        {"run.bin": 30, "run.tmp": 0},
        {"run.bin": 30, "run.tmp": 15000},
        {"run.bin": 30, "run.tmp": 15000},
        {"run.bin": 15000},
        {"run.bin": 15000},
    ]
    new = record.moments[-1].names["run.bin"]
    assert [moment.synced for moment in record.moments] == [(), (), (), (new,), (), ("",)]
    assert (folder / "run.bin").read_bytes() == NEW


def test_a_record_survives_as_plain_data(folder: Path) -> None:
    record = file_calls.watch(lambda: atomic(folder), folder, tool=file_calls.PYTHON)
    assert file_calls.from_plain(file_calls.to_plain(record)) == record


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
def test_what_is_seen_at_a_stop_is_what_a_kill_by_strace_leaves(
    folder: Path, tmp_path: Path
) -> None:
    import inspect

    record = watch(lambda: atomic(folder), folder)
    expected = []
    for crash in kill_states(record.moments):
        state = {name: len(content) for name, content in crash.folder.items()}
        if state not in expected:
            expected.append(state)
    script = tmp_path / "save.py"
    script.write_text(SCRIPT.format(source=inspect.getsource(atomic)))
    found = []
    kills = [("openat", "run.tmp"), ("write", "run.tmp"), ("fsync", ""), ("rename", ""), ("", "")]
    for call, path in kills:
        (folder / "run.bin").write_bytes(OLD)
        (folder / "run.tmp").unlink(missing_ok=True)
        command = ["strace", "-f", "-o", "/dev/null"]
        if path:
            command += ["-P", str(folder / path)]
        if call:
            command += ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when=1"]
        command += [sys.executable, "-I", "-S", str(script), str(folder)]
        subprocess.run(command, check=False, capture_output=True)
        state = {entry.name: entry.stat().st_size for entry in sorted(folder.iterdir())}
        if state not in found:
            found.append(state)
    if len(found) == 1:
        pytest.skip("strace may not trace here")
    assert found == expected


@pytest.mark.parametrize("call", ["openat", "write", "fsync", "rename"])
def test_a_call_can_be_made_to_fail(call: str, folder: Path) -> None:
    record = watch(lambda: atomic(folder), folder, fails=(call, 0))
    assert record.raised.startswith("OSError: [Errno 28]")
    assert (folder / "run.bin").read_bytes() == OLD


def test_the_first_call_and_the_second_are_counted_apart(folder: Path) -> None:
    record = watch(lambda: atomic(folder), folder, fails=("fsync", 1))
    assert record.raised.startswith("OSError: [Errno 28]")
    assert (folder / "run.bin").read_bytes() == NEW


def test_calls_of_c_code_and_nameless_files_are_seen(folder: Path) -> None:
    def link() -> None:
        descriptor = os.open(folder, os.O_WRONLY | os.O_TMPFILE)
        os.write(descriptor, NEW)
        os.fsync(descriptor)
        os.link(f"/proc/self/fd/{descriptor}", folder / "linked", src_dir_fd=descriptor)
        os.close(descriptor)

    record = watch(link, folder)
    if record.raised:
        pytest.skip(record.raised)
    last = record.moments[-1]
    assert last.files[last.names["linked"]] == NEW
    assert last.synced == (last.names["linked"],)


def test_a_synchronous_file_is_safe_at_each_write(folder: Path) -> None:
    def save() -> None:
        descriptor = os.open(folder / "s", os.O_WRONLY | os.O_CREAT | os.O_SYNC)
        os.write(descriptor, NEW)
        os.close(descriptor)

    record = watch(save, folder)
    last = record.moments[-1]
    assert last.synced == (last.names["s"],)


def test_what_was_raised_and_an_end_without_a_word_are_told(folder: Path) -> None:
    def fail() -> None:
        raise KeyError("a")

    assert watch(fail, folder).raised == "KeyError: 'a'"
    assert watch(lambda: os._exit(3), folder).raised == "ended"


def test_descriptors_of_the_child_do_not_stay(folder: Path) -> None:
    before = stopped_calls._descriptors()
    watch(lambda: os.open(folder, os.O_RDONLY), folder)
    assert stopped_calls._descriptors() == before


def test_an_inode_that_is_given_again_is_another_file(folder: Path) -> None:
    def save() -> None:
        (folder / "run.bin").unlink()
        (folder / "other").write_bytes(b"x")

    record = watch(save, folder)
    first, last = record.moments[0].names["run.bin"], record.moments[-1].names["other"]
    assert first != last


def test_python_sees_names_of_fsync_that_a_stage_has_of_its_own(folder: Path) -> None:
    import types

    stage = types.ModuleType("stage")
    stage.fsync = os.fsync  # type: ignore[attr-defined]

    def save() -> None:
        with (folder / "f").open("wb") as file:
            file.write(b"x")
            file.flush()
            stage.fsync(file.fileno())

    record = file_calls.watch(save, folder, stage=stage, tool=file_calls.PYTHON)
    assert any(moment.synced for moment in record.moments)
    assert stage.fsync is os.fsync


PROBES = """
import os
from pathlib import Path
from grader.instruments import file_calls

def watched(stage, case):
    folder = Path(case["folder"])
    def save():
        (folder / "t").write_bytes(b"new")
        os.replace(folder / "t", folder / "f")
    return file_calls.to_plain(file_calls.watch(save, folder))
"""


@pytest.mark.parametrize(
    ("processes", "tool"), [(1, file_calls.PYTHON), (4, file_calls.SYSTEM_CALLS)]
)
def test_a_confined_worker_uses_the_best_tool_it_may(
    processes: int, tool: str, tmp_path: Path
) -> None:
    probes = tmp_path / "probes.py"
    probes.write_text(PROBES)
    place = tmp_path / "scratch"
    place.mkdir()
    watch(lambda: None, place)  # skips where the kernel does not stop calls
    limits = Limits(processes=processes)
    with (
        Sandbox() as sandbox,
        sandbox.worker("bare", probes=probes, limits=limits, scratch=place) as worker,
    ):
        answer = worker.call("watched", {"folder": str(place)})
    assert answer.status == "ok", answer
    record = file_calls.from_plain(answer.value)
    assert record.tool == tool
    assert [sorted(moment.names) for moment in record.moments][-2:] == [["t"], ["f"]]


def test_the_known_question_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_calls.answers_known_question()
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    assert file_calls.answers_known_question()  # what is told is that it was called
    monkeypatch.setattr(file_calls.Path, "read_bytes", lambda path: b"")
    assert not file_calls.answers_known_question()
