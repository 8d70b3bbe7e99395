"""The verdict on a seal: one word for each order of seal and measurement."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.predictions.chain import MEASUREMENT, SEAL
from grader.predictions.ledger import Ledger
from grader.predictions.record import records_under
from grader.predictions.sheet import content_digest
from grader.predictions.verdict import verdict

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
A, B, C = ({"peak": f"{n} B"} for n in (1, 2, 3))


def digest(sheet):
    return content_digest("8.9", sheet)


class History:
    """A ledger filled by a short story, one minute between its events."""

    def __init__(self, path):
        self.ledger = Ledger(path)
        self.minutes = 0

    def seal(self, sheet, unit_id="8.9"):
        self.minutes += 1
        moment = NOON + timedelta(minutes=self.minutes)
        self.ledger.append(SEAL, unit_id, content_digest(unit_id, sheet), sheet, moment)
        return self

    def measure(self, sheet, unit_id="8.9"):
        self.minutes += 1
        moment = NOON + timedelta(minutes=self.minutes)
        record = {"fields": {}, "seed": str(self.minutes)}
        self.ledger.append(MEASUREMENT, unit_id, content_digest(unit_id, sheet), record, moment)
        return self

    def says(self, sheet, **kwargs):
        found = digest(sheet) if sheet is not None else None
        return verdict(self.ledger.read(), "8.9", found, **kwargs)


@pytest.fixture
def history(tmp_path):
    return History(tmp_path / "ledger.jsonl")


def test_sealed_then_measured_is_sealed_with_both_times(history):
    said = history.seal(A).measure(A).says(A)
    assert said.word == "sealed"
    assert said.sealed_at == "2026-03-01T12:01:00Z"
    assert said.measured_at == "2026-03-01T12:02:00Z"
    assert said.sheet == digest(A)


def test_sealed_and_not_yet_measured_is_sealed(history):
    said = history.seal(A).says(A)
    assert (said.word, said.measured_at) == ("sealed", None)


def test_nothing_sealed_is_not_sealed(history):
    said = history.seal(A, "8.3").measure(A, "8.3").says(A)
    assert (said.word, said.sealed_at, said.measured_at) == ("not sealed", None, None)
    assert "grade predict 8.9" in said.message


def test_a_seal_after_the_measurement_is_late(history):
    said = history.seal(A).measure(A).seal(B).says(B)
    assert said.word == "late"
    assert "12:03:00" in said.message
    assert "12:02:00" in said.message
    assert said.sheet == digest(A)


def test_a_sheet_edited_after_its_measurement_is_changed(history):
    said = history.seal(A).measure(A).says(B)
    assert said.word == "changed"
    assert "12:02:00" in said.message


def test_a_sheet_edited_before_any_measurement_is_changed_and_may_be_sealed_again(history):
    said = history.seal(A).says(B)
    assert said.word == "changed"
    assert "grade predict 8.9" in said.message
    assert history.seal(B).says(B).word == "sealed"


def test_an_edited_ledger_is_forged_and_the_line_is_named(history):
    history.seal(A).measure(A)
    raw = history.ledger.path.read_bytes()
    history.ledger.path.write_bytes(raw.replace(b"1 B", b"2 B"))
    said = history.says(B)
    assert said.word == "forged"
    assert "ledger.jsonl:1" in said.message


def test_a_removed_measurement_is_forged(history):
    history.seal(A).measure(A)
    first, _ = history.ledger.path.read_bytes().splitlines(keepends=True)
    history.ledger.path.write_bytes(first)
    assert history.says(A).word == "forged"


def test_a_link_is_not_a_file(history, tmp_path):
    assert history.seal(A).says(A, is_file=False).word == "not a file"
    link = tmp_path / "link.jsonl"
    link.symlink_to(history.ledger.path)
    assert verdict(Ledger(link).read(), "8.9", digest(A)).word == "not a file"


def test_the_four_situations_have_four_words(history, tmp_path):
    history.seal(A).measure(A)
    words = [history.says(A).word, history.says(C).word, history.seal(B).says(B).word]
    raw = history.ledger.path.read_bytes()
    history.ledger.path.write_bytes(raw.replace(b"12:01", b"11:01"))
    words.append(history.says(A).word)
    assert words == ["sealed", "changed", "late", "forged"]


def test_only_the_last_seal_before_the_measurement_counts(history):
    history.seal(A).seal(B).measure(B)
    assert history.says(A).word == "changed"
    assert history.says(B).word == "sealed"


def test_a_verdict_counts_the_seals_and_names_the_fields_that_changed(history):
    first, second = {"peak": "1 B", "calls": "2"}, {"peak": "2 B", "calls": "2"}
    said = history.seal(A, "8.3").seal(first).says(first)
    assert (said.seals, said.rewritten) == (1, ())
    said = history.seal(second).seal(first).measure(first).says(first)
    assert (said.word, said.seals, said.rewritten) == ("sealed", 3, ("peak",))
    said = history.seal({"peak": "1 B"}).says(first)
    assert (said.word, said.seals, said.rewritten) == ("sealed", 4, ("peak", "calls"))
    assert verdict(history.ledger.read(), "8.1", None).seals == 0


def test_a_seal_that_was_superseded_and_made_again_is_late(history):
    history.seal(A).seal(B).measure(B).seal(A)
    assert history.says(A).word == "late"
    assert history.says(B).word == "sealed"


def test_a_sheet_that_cannot_be_read_never_counts_as_sealed(history):
    assert history.says(None).word == "not sealed"
    assert history.seal(A).says(None).word == "changed"
    assert history.measure(A).says(None).word == "changed"


def test_other_units_do_not_matter(history):
    history.seal(A, "8.3").seal(A).measure(A, "8.3").seal(B, "8.3")
    assert history.says(A).word == "sealed"
    assert history.says(A).measured_at is None


def test_a_torn_last_line_does_not_undo_a_seal(history):
    history.seal(A).measure(A)
    with history.ledger.path.open("ab") as file:
        file.write(b'{"content":{"pe')
    assert history.says(A).word == "sealed"


def test_records_are_found_by_the_sheet_they_were_measured_under(history):
    history.seal(A, "8.3").measure(A, "8.3").seal(A).measure(A).measure(A)
    chain = history.ledger.read()
    assert [record["seed"] for record in records_under(chain, "8.9", digest(A))] == ["4", "5"]
    assert records_under(chain, "8.9", digest(B)) == ()
    assert records_under(chain, "8.9", "") == ()


def test_the_advice_names_the_sheet_where_it_lies(history):
    story = history.seal(A).measure(A)
    assert (
        "`git log -p -- u89_profiling/prediction.toml`"
        in story.says(B, folder="u89_profiling").message
    )


def test_a_file_that_a_seal_keeps_is_no_part_of_the_sheet_but_must_be_there_as_it_was(history):
    story = history.seal(A | {"adapter.py": "1f"})
    assert story.says(A, beside={"adapter.py": "1f"}).word == "sealed"
    for beside in ({"adapter.py": "2f"}, {}):
        said = story.says(A, beside=beside)
        assert said.word == "changed"
        assert "adapter.py has changed" in said.message
