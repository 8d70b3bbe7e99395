"""The sheet is about the student's own adapter: the seal keeps both, and needs both."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.entry import run
from grader.predictions.chain import MEASUREMENT
from grader.predictions.ledger import LEDGER_FILE, Ledger
from grader.predictions.record import make_record, records_under
from grader.predictions.verdict import verdict
from grader.submission.beside import digests
from grader.submission.folder import read_submission
from tests.mini_project.work import UNIT, Work, started, write

SHEET = {
    "parameter_bytes": "8 B", "gradient_bytes": "8 B", "optimizer_bytes": "24 B",
    "activation_bytes": "90 B", "slowest_phase": "backward",
}  # fmt: skip


@pytest.fixture
def work(tmp_path: Path) -> Work:
    work = started(tmp_path, "clip", "mlp")
    write(work, "prediction.toml", SHEET)
    return work


def predict(work: Work) -> int:
    return run(["predict", UNIT.id, "--submission", str(work.root)])


def word(work: Work) -> tuple[str, str]:
    submission = read_submission(work.root, UNIT)
    chain = Ledger(work.root / LEDGER_FILE).read()
    sheet = chain.sheet_in_force(UNIT.id)
    said = verdict(chain, UNIT.id, sheet, beside=digests(submission, UNIT), folder=UNIT.folder)
    return str(said.word), said.message


def edit(work: Work) -> None:
    path = work.folder / "adapter.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nHIDDEN = 40\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "gone", "seen"),
    [
        ("mlp", ("adapter.py", "project.toml"), "begin with `grade project start`"),
        ("mlp", ("project.toml",), "project.toml: there is no such file"),
        ("mlp", ("adapter.py",), "adapter.py: there is no such file"),
        ("own", (), "adapter.py: make_model is not filled in"),
    ],
)
def test_a_sheet_about_nothing_is_not_sealed(
    model: str, gone: tuple[str, ...], seen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = started(tmp_path, "clip", model)
    write(work, "prediction.toml", SHEET)
    for name in gone:
        (work.folder / name).unlink()
    assert predict(work) == 2
    assert seen in capsys.readouterr().err
    assert not (work.root / LEDGER_FILE).exists()


def test_an_adapter_without_a_function_is_not_sealed(
    work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    path = work.folder / "adapter.py"
    path.write_text(path.read_text(encoding="utf-8").replace("def loss(", "def cost("))
    assert predict(work) == 2
    assert "adapter.py: there is no function `loss`" in capsys.readouterr().err


def test_an_adapter_that_changed_after_the_seal_is_told_and_sealed_again(work: Work) -> None:
    assert predict(work) == 0
    assert word(work)[0] == "sealed"
    edit(work)
    assert word(work)[0] == "changed"
    assert "adapter.py has changed" in word(work)[1]
    assert predict(work) == 0
    assert word(work)[0] == "sealed"


def test_after_the_measurement_the_adapter_must_be_put_back(work: Work) -> None:
    assert predict(work) == 0
    ledger = Ledger(work.root / LEDGER_FILE)
    sheet = ledger.read().sheet_in_force(UNIT.id)
    before = digests(read_submission(work.root, UNIT), UNIT)
    record = make_record({}, "seed", {}, {}, before)
    ledger.append(MEASUREMENT, UNIT.id, sheet, record)
    text = (work.folder / "adapter.py").read_text(encoding="utf-8")
    edit(work)
    assert predict(work) == 1
    assert word(work)[0] == "changed"
    after = digests(read_submission(work.root, UNIT), UNIT)
    assert records_under(ledger.read(), UNIT.id, sheet, after) == ()
    (work.folder / "adapter.py").write_text(text, encoding="utf-8")
    assert word(work)[0] == "sealed"
    assert len(records_under(ledger.read(), UNIT.id, sheet, before)) == 1
