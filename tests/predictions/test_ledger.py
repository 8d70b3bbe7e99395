"""The ledger: what is written stays, and whatever else happens to it shows."""

import errno
import hashlib
import json
import multiprocessing
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import LedgerError
from grader.predictions.chain import MEASUREMENT, SEAL, read_chain
from grader.predictions.filelock import locked
from grader.predictions.ledger import Ledger
from grader.predictions.sheet import content_digest

NOON = datetime(2026, 3, 1, 12, 3, 4, tzinfo=UTC)


def seal(ledger, content, unit_id="8.9"):
    return ledger.append(SEAL, unit_id, content_digest(unit_id, content), content, NOON)


def measure(ledger, sheet, unit_id="8.9"):
    record = {"fields": {"peak": {"value": 12, "terms": {"state": 0.5}}}, "seed": "7f3a"}
    return ledger.append(MEASUREMENT, unit_id, sheet, record, NOON)


def fill(ledger):
    """Write five entries about two units and return the bytes."""
    first = seal(ledger, {"peak": "1 B", "why": "caf\u00e9 \n"})
    seal(ledger, {"calls": "2"}, "8.3")
    second = seal(ledger, {"peak": "2 B"})
    measure(ledger, second.sheet)
    seal(ledger, {"peak": "3 B"})
    assert first.sheet != second.sheet
    return ledger.path.read_bytes()


@pytest.fixture(scope="module")
def sound():
    """Return the bytes of a sound ledger and of its head."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.jsonl")
        raw = fill(ledger)
        assert ledger.problems() == ()
        return raw, ledger.head_path.read_bytes()


def complaints(raw, head):
    chain = read_chain(raw, head, "ledger.jsonl")
    return [str(problem) for problem in chain.problems] + ([chain.note] if chain.note else [])


def test_entries_come_back_as_they_were_written(ledger):
    fill(ledger)
    chain = ledger.read()
    assert (chain.problems, chain.note) == ((), "")
    assert [entry.n for entry in chain.entries] == [1, 2, 3, 4, 5]
    assert [entry.kind for entry in chain.of("8.9", SEAL)] == ["seal"] * 3
    assert chain.entries[0].content == {"peak": "1 B", "why": "caf\u00e9 \n"}
    assert chain.entries[0].time == "2026-03-01T12:03:04Z"
    assert chain.entries[3].content["fields"]["peak"] == {"value": 12, "terms": {"state": 0.5}}
    for line in ledger.path.read_text().splitlines():
        names = {"n", "kind", "unit", "sheet", "time", "content", "prev", "hash"}
        assert set(json.loads(line)) == names


def test_a_ledger_that_does_not_exist_is_empty(ledger):
    assert ledger.entries() == ()
    assert ledger.problems() == ()


@settings(max_examples=400)
@given(data=st.data())
def test_any_edited_byte_is_noticed(sound, data):
    raw, head = sound
    position = data.draw(st.integers(0, len(raw) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[position]))
    edited = raw[:position] + bytes([value]) + raw[position + 1 :]
    assert complaints(edited, head)


@given(data=st.data())
def test_any_inserted_or_deleted_byte_is_noticed(sound, data):
    raw, head = sound
    position = data.draw(st.integers(0, len(raw) - 1))
    inserted = raw[:position] + bytes([data.draw(st.integers(0, 255))]) + raw[position:]
    assert complaints(inserted, head)
    assert complaints(raw[:position] + raw[position + 1 :], head)


def test_a_space_is_noticed_wherever_it_is_put(sound):
    raw, head = sound
    for position in range(len(raw) + 1):
        assert complaints(raw[:position] + b" " + raw[position:], head), position


@given(data=st.data())
def test_any_removed_repeated_or_reordered_lines_are_noticed(sound, data):
    raw, head = sound
    lines = raw.splitlines(keepends=True)
    picked = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=7))
    if picked != list(range(len(lines))):
        assert complaints(b"".join(lines[i] for i in picked), head)


def test_the_first_broken_line_is_named(sound):
    raw, head = sound
    lines = raw.splitlines(keepends=True)
    edited = [*lines[:2], lines[2].replace(b"2 B", b"9 B"), lines[3].replace(b"12", b"13")]
    chain = read_chain(b"".join(edited), head, "ledger.jsonl")
    (problem,) = chain.problems
    assert problem.where == "ledger.jsonl:3"
    assert "its content was changed" in problem.seen
    assert len(chain.entries) == 2
    assert "missing or moved" in complaints(b"".join([lines[0], *lines[2:]]), head)[0]
    assert complaints(raw[: -len(lines[-1])], head) == [
        "ledger.jsonl:5: the last 1 line(s) were removed"
    ]


def test_a_whole_chain_written_anew_does_not_fit_the_head(sound, tmp_path):
    _, head = sound
    other = Ledger(tmp_path / "other.jsonl")
    for number in range(5):
        seal(other, {"peak": f"{number} B"})
    assert complaints(other.path.read_bytes(), head)


def test_a_ledger_of_more_than_one_line_has_a_head(sound):
    raw, _ = sound
    lines = raw.splitlines(keepends=True)
    assert complaints(lines[0], b"") == []
    assert complaints(b"".join(lines[:2]), b"") == [
        "ledger.jsonl.head: is missing, so lines may have been removed"
    ]


@pytest.mark.parametrize("change", [{"n": 7}, {"n": True}, {"prev": "f" * 64}, {"kind": "note"}])
def test_an_entry_with_a_hash_that_fits_must_still_follow_the_one_before(ledger, change):
    entry = seal(ledger, {"peak": "1 B"})
    plain = entry.plain() | change
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    signed = plain | {"hash": hashlib.sha256(text.encode()).hexdigest()}
    line = json.dumps(signed, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert read_chain(entry.line(), b"", "ledger.jsonl").problems == ()
    assert read_chain(line, b"", "ledger.jsonl").problems[0].where == "ledger.jsonl:1"


def test_a_seal_must_have_the_digest_of_what_it_sealed(ledger):
    ledger.append(SEAL, "8.9", "0" * 64, {"peak": "1 B"})
    assert "no grader writes" in str(ledger.problems()[0])


@pytest.mark.parametrize("kept", [1, 30, -2])
def test_a_line_torn_by_a_crash_is_told_and_does_not_count(ledger, kept):
    fill(ledger)
    raw, head = ledger.path.read_bytes(), ledger.head_path.read_bytes()
    last = seal(ledger, {"peak": "4 B"}).line()
    ledger.head_path.write_bytes(head)
    ledger.path.write_bytes(raw + last[:kept])
    chain = ledger.read()
    assert chain.problems == ()
    assert "line 6 is not complete" in chain.note
    assert len(chain.entries) == 5
    entry = seal(ledger, {"peak": "5 B"})
    assert entry.n == 6
    assert ledger.read().note == ""
    assert ledger.entries()[-1] == entry


def test_a_crash_between_the_line_and_the_head_loses_nothing(ledger):
    fill(ledger)
    head = ledger.head_path.read_bytes()
    last = seal(ledger, {"peak": "4 B"})
    ledger.head_path.write_bytes(head)
    assert ledger.problems() == ()
    assert ledger.entries()[-1] == last


def test_a_lost_final_newline_is_told_and_mended(ledger):
    raw = fill(ledger)
    ledger.path.write_bytes(raw[:-1])
    chain = ledger.read()
    assert chain.problems == ()
    assert "line 5 has lost its end of line" in chain.note
    seal(ledger, {"peak": "4 B"})
    assert len(ledger.entries()) == 6
    assert ledger.read().note == ""


def test_nothing_is_added_to_a_broken_chain(ledger):
    raw = fill(ledger)
    broken = raw.replace(b"2 B", b"9 B")
    ledger.path.write_bytes(broken)
    with pytest.raises(LedgerError, match="nothing can be added"):
        seal(ledger, {"peak": "4 B"})
    assert ledger.path.read_bytes() == broken


def test_a_measurement_needs_the_seal_in_force(ledger):
    first = seal(ledger, {"peak": "1 B"})
    second = seal(ledger, {"peak": "2 B"})
    with pytest.raises(LedgerError, match="no seal of this sheet"):
        measure(ledger, first.sheet)
    with pytest.raises(LedgerError, match="no seal of this sheet"):
        measure(ledger, first.sheet, "8.3")
    measure(ledger, second.sheet)
    third = seal(ledger, {"peak": "3 B"})
    with pytest.raises(LedgerError, match="no seal of this sheet"):
        measure(ledger, third.sheet)
    measure(ledger, second.sheet)
    assert ledger.problems() == ()


@pytest.mark.parametrize("content", [{"x": float("nan")}, {"x": {1, 2}}, {"x": b"y"}])
def test_content_that_is_not_plain_is_refused(ledger, content):
    with pytest.raises(LedgerError, match="not plain data"):
        ledger.append(SEAL, "8.9", "0", content)
    assert ledger.entries() == ()


def test_content_is_kept_as_json_gives_it_back(ledger):
    sheet = seal(ledger, {"peak": "1 B"}).sheet
    content = {"t": (1, 2), "k": {10: "a", 9: "b"}, "big": 10**40}
    entry = ledger.append(MEASUREMENT, "8.9", sheet, content)
    assert entry.content == {"t": [1, 2], "k": {"10": "a", "9": "b"}, "big": 10**40}
    assert ledger.entries()[-1] == entry


def test_a_link_in_place_of_the_ledger_is_no_ledger(ledger):
    fill(ledger)
    target = ledger.path.rename(ledger.path.with_name("elsewhere"))
    ledger.path.symlink_to(target)
    chain = ledger.read()
    assert not chain.is_file
    assert chain.entries == ()
    with pytest.raises(LedgerError, match="is a link"):
        seal(ledger, {"peak": "4 B"})


def test_a_folder_or_pipe_in_place_of_the_ledger_is_told(tmp_path):
    folder = Ledger(tmp_path / "folder")
    folder.path.mkdir()
    pipe = Ledger(tmp_path / "pipe")
    os.mkfifo(pipe.path)
    with pytest.raises(LedgerError, match="cannot be read"):
        folder.read()
    with pytest.raises(LedgerError, match="not a regular file"):
        pipe.read()


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b"null",
        b'{"n": NaN}',
        b"[" * 100_000,
        b'{"n": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b'{"a":1,"a":1}',
    ],
)
def test_foreign_lines_are_a_problem_and_never_a_crash(line):
    chain = read_chain(line + b"\n", b"", "ledger.jsonl")
    assert chain.problems[0].where == "ledger.jsonl:1"


def test_a_full_disk_leaves_the_ledger_as_it_was(ledger, monkeypatch):
    raw = fill(ledger)
    write = os.write

    def half_then_full(descriptor, data):
        if len(data) > 100:
            return write(descriptor, data[:50])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", lambda fd, data: half_then_full(fd, data[:120]))
    with pytest.raises(LedgerError, match="No space left on device"):
        seal(ledger, {"peak": "4 B"})
    monkeypatch.undo()
    assert ledger.path.read_bytes() == raw
    assert ledger.problems() == ()


def test_another_run_is_waited_for_and_then_told(ledger):
    seal(ledger, {"peak": "1 B"})
    lock = ledger.path.with_name(ledger.path.name + ".lock")
    with (
        locked(lock),
        pytest.raises(LedgerError, match=r"another run has held the ledger for 0\.05 s"),
        locked(lock, patience=0.05),
    ):
        pass
    with locked(lock, patience=0.05):
        pass


def seal_some(path, start):
    for number in range(start, start + 10):
        seal(Ledger(path), {"peak": f"{number} B"})


def test_entries_of_several_processes_form_one_chain(ledger):
    ledger.path.parent.mkdir()
    context = multiprocessing.get_context("spawn")
    runs = [context.Process(target=seal_some, args=(ledger.path, 100 * i)) for i in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert ledger.problems() == ()
    assert len(ledger.entries()) == 20
