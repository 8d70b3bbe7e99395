"""Sealing: validate, record, commit exactly the sheet, and run nothing a repository asks for."""

import os
import shutil
import subprocess

import pytest

from grader.errors import LedgerError, SheetError
from grader.predictions.ledger import LEDGER_FILE, Ledger
from grader.predictions.seal import seal_sheet

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture(autouse=True)
def own_git(tmp_path, monkeypatch):
    """Keep the tests away from the configuration and variables of whoever runs them."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


class Repository:
    """A student's repository with a sheet in a folder of its own."""

    def __init__(self, root, content):
        self.root = root
        self.sheet = root / "u89_profiling" / "prediction.toml"
        self.sheet.parent.mkdir(parents=True)
        self.sheet.write_text(content)
        self.ledger = Ledger(root / LEDGER_FILE)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "A Student")
        self.git("config", "user.email", "student@example.org")

    def git(self, *arguments):
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit_all(self, message="before"):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def seal(self, unit):
        return seal_sheet(self.sheet, unit, self.ledger)


@pytest.fixture
def repository(tmp_path, filled):
    return Repository(tmp_path / "work", filled)


def test_the_seal_records_the_digest_and_the_commit_holds_the_sheet(repository, unit, filled):
    (repository.root / "notes.txt").write_text("notes")
    before = repository.commit_all()
    repository.sheet.write_text("# mine\n" + filled)
    sealed = repository.seal(unit)
    assert sealed.is_new
    assert sealed.verdict.word == "sealed"
    assert sealed.entry.content["peak"] == "1600000 B to 2 digits"
    assert sealed.entry.sheet == sealed.sheet.digest
    assert repository.git("rev-parse", "HEAD") == sealed.commit.id
    assert repository.git("rev-parse", "HEAD^") == before
    changed = repository.git("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD")
    assert changed == "u89_profiling/prediction.toml"
    assert repository.git("show", "HEAD:u89_profiling/prediction.toml") + "\n" == (
        "# mine\n" + filled
    )
    assert repository.git("log", "-1", "--format=%an <%ae> %s") == (
        "A Student <student@example.org> Seal the predictions of unit 8.9"
    )
    assert repository.git("status", "--porcelain", "--", "u89_profiling", "notes.txt") == ""
    repository.git("fsck", "--strict")


def test_what_else_is_staged_stays_staged_and_uncommitted(repository, unit, filled):
    (repository.root / "a.py").write_text("a = 1\n")
    (repository.root / "gone.py").write_text("b = 1\n")
    repository.commit_all()
    repository.sheet.write_text(filled + "# more\n")
    (repository.root / "a.py").write_text("a = 2\n")
    (repository.root / "new.py").write_text("c = 3\n")
    repository.git("add", "a.py", "new.py")
    repository.git("rm", "--quiet", "--cached", "gone.py")
    (repository.root / "a.py").write_text("a = 3\n")
    before = repository.git("diff", "--cached", "--raw", "--no-abbrev", "--", "*.py")
    assert len(before.splitlines()) == 3
    assert repository.seal(unit).commit.id
    assert repository.git("diff", "--cached", "--raw", "--no-abbrev") == before
    assert repository.git("show", "HEAD:a.py") == "a = 1"
    assert (repository.root / "a.py").read_text() == "a = 3\n"


def test_the_first_commit_of_a_repository_holds_the_sheet_alone(repository, unit):
    (repository.root / "staged.py").write_text("a = 1\n")
    repository.git("add", "staged.py")
    assert repository.seal(unit).commit.id
    assert repository.git("ls-tree", "-r", "--name-only", "HEAD") == "u89_profiling/prediction.toml"
    assert repository.git("diff", "--cached", "--name-only") == "staged.py"
    assert repository.git("rev-list", "--count", "main") == "1"


def test_a_sheet_that_git_ignores_is_committed_all_the_same(repository, unit):
    (repository.root / ".gitignore").write_text("*.toml\n")
    repository.commit_all()
    assert repository.seal(unit).commit.id
    assert "prediction.toml" in repository.git("ls-files")


def test_sealing_again_adds_nothing(repository, unit):
    first = repository.seal(unit)
    again = repository.seal(unit)
    assert not again.is_new
    assert again.entry == first.entry
    assert again.commit.id == first.commit.id
    assert again.commit.note == "the sheet was committed already"
    assert len(repository.ledger.entries()) == 1


def test_another_prediction_is_another_seal_and_another_commit(repository, unit, filled):
    first = repository.seal(unit)
    repository.sheet.write_text(filled.replace("1.6 MB", "1.7 MB"))
    second = repository.seal(unit)
    assert second.is_new
    assert second.commit.id != first.commit.id
    assert [entry.sheet for entry in repository.ledger.entries()] == [
        first.sheet.digest,
        second.sheet.digest,
    ]


def test_a_seal_after_the_measurement_says_that_it_is_late(repository, unit, filled):
    first = repository.seal(unit)
    repository.ledger.append("measurement", unit.id, first.sheet.digest, {"fields": {}})
    repository.sheet.write_text(filled.replace("1.6 MB", "1.7 MB"))
    assert repository.seal(unit).verdict.word == "late"
    repository.sheet.write_text(filled)
    restored = repository.seal(unit)
    assert restored.verdict.word == "sealed"
    assert not restored.is_new


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('peak = "1.6 Mb"', "did you mean MB"),
        ('peak = ""', "'peak' is blank"),
        ("", "'peak' is missing"),
    ],
)
def test_a_sheet_with_a_problem_is_neither_sealed_nor_committed(repository, unit, line, said):
    text = repository.sheet.read_text()
    repository.sheet.write_text(text.replace('peak = "1.6 MB"', line))
    with pytest.raises(SheetError, match=said):
        repository.seal(unit)
    assert repository.ledger.entries() == ()
    assert repository.git("rev-list", "--all") == ""


def test_a_broken_ledger_is_neither_added_to_nor_committed_over(repository, unit, filled):
    repository.seal(unit)
    head = repository.git("rev-parse", "HEAD")
    raw = repository.ledger.path.read_bytes()
    repository.ledger.path.write_bytes(raw.replace(b"45 %", b"46 %"))
    repository.sheet.write_text(filled.replace("1.6 MB", "1.7 MB"))
    with pytest.raises(LedgerError, match=r"ledger\.jsonl:1"):
        repository.seal(unit)
    assert repository.git("rev-parse", "HEAD") == head


def test_outside_a_repository_the_seal_stands_and_the_note_says_so(tmp_path, unit, write, filled):
    sealed = seal_sheet(write(filled), unit, Ledger(tmp_path / LEDGER_FILE))
    assert sealed.verdict.word == "sealed"
    assert sealed.commit.id == ""
    assert sealed.commit.note == "this is no git repository, so the sheet was not committed"


def test_without_git_the_seal_stands_and_the_note_says_so(repository, unit, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    sealed = repository.seal(unit)
    assert sealed.verdict.word == "sealed"
    assert sealed.commit.note == "git is not installed, so the sheet was not committed"


def test_without_an_identity_the_commit_is_made_and_the_note_says_how(repository, unit):
    repository.git("config", "--unset", "user.name")
    repository.git("config", "--unset", "user.email")
    repository.git("config", "user.useConfigOnly", "true")
    sealed = repository.seal(unit)
    assert sealed.commit.id
    assert "tell git your name" in sealed.commit.note
    assert repository.git("log", "-1", "--format=%an") == "Torch Evidence student"


def test_the_students_name_is_taken_from_the_environment_too(repository, unit, monkeypatch):
    for key, value in (("NAME", "From Environment"), ("EMAIL", "e@example.org")):
        monkeypatch.setenv(f"GIT_AUTHOR_{key}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{key}", value)
    repository.seal(unit)
    assert repository.git("log", "-1", "--format=%an") == "From Environment"


def test_variables_that_redirect_git_are_not_followed(repository, unit, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert repository.seal(unit).commit.id
    assert not (tmp_path / "index").exists()


def test_a_locked_index_leaves_the_branch_alone_and_is_told(repository, unit):
    head = repository.commit_all()
    (repository.root / ".git" / "index.lock").touch()
    repository.sheet.write_text(repository.sheet.read_text() + "# more\n")
    sealed = repository.seal(unit)
    assert sealed.verdict.word == "sealed"
    assert sealed.commit.id == ""
    assert "the sheet was not committed: " in sealed.commit.note
    assert repository.git("rev-parse", "HEAD") == head


def test_the_bytes_that_were_sealed_are_committed_whatever_filters_would_make_of_them(
    repository, unit, filled
):
    repository.git("config", "core.autocrlf", "true")
    repository.sheet.write_bytes(filled.replace("\n", "\r\n").encode())
    repository.seal(unit)
    blob = subprocess.run(
        ["git", "cat-file", "blob", "HEAD:u89_profiling/prediction.toml"],
        cwd=repository.root,
        capture_output=True,
        check=True,
    )
    assert blob.stdout == repository.sheet.read_bytes()


def test_a_worktree_and_a_detached_head_are_committed_to(repository, unit, filled):
    repository.commit_all()
    repository.git("worktree", "add", "--quiet", "--detach", str(repository.root.parent / "tree"))
    tree = repository.root.parent / "tree"
    sheet = tree / "u89_profiling" / "prediction.toml"
    sheet.write_text(filled + "# in the other tree\n")
    sealed = seal_sheet(sheet, unit, Ledger(tree / LEDGER_FILE))
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=tree, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == sealed.commit.id
    assert repository.git("rev-parse", "main") != sealed.commit.id


HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "pre-auto-gc",
    "fsmonitor-watchman",
)


def test_a_hostile_repository_runs_nothing(repository, unit, filled, tmp_path):
    repository.commit_all()
    trace = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {trace}\ncat\n')
    program.chmod(0o755)
    hooks = repository.root / ".git" / "hooks"
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {trace}\n")
        (hooks / name).chmod(0o755)
    (repository.root / ".git" / "info" / "attributes").write_text("*.toml filter=evil diff=evil\n")
    for key, value in {
        "core.fsmonitor": str(program),
        "core.editor": str(program),
        "core.pager": str(program),
        "core.sshCommand": str(program),
        "core.alternateRefsCommand": str(program),
        "commit.gpgSign": "true",
        "gpg.program": str(program),
        "user.signingKey": "evil",
        "filter.evil.clean": str(program),
        "filter.evil.smudge": str(program),
        "filter.evil.required": "true",
        "diff.evil.textconv": str(program),
        "credential.helper": f"!{program}",
        "alias.commit-tree": f"!{program}",
        "gc.auto": "1",
    }.items():
        repository.git("config", key, value)
    repository.git("config", "core.fsmonitor", str(program))
    subprocess.run(
        ["git", "status"], cwd=repository.root, capture_output=True, check=True
    )  # shows that the trap is live
    assert trace.exists()
    trace.unlink()
    repository.sheet.write_text(filled + "# changed\n")
    assert repository.seal(unit).commit.id
    assert not trace.exists(), trace.read_text()


def test_a_hostile_remote_is_not_asked_for_missing_objects(repository, unit, filled, tmp_path):
    repository.commit_all()
    trace = tmp_path / "ran"
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.partialClone", "evil")
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    repository.git("config", "remote.evil.url", f"ext::{program}")
    repository.git("config", "remote.evil.promisor", "true")
    repository.git("config", "protocol.ext.allow", "always")
    tree = repository.git("rev-parse", "HEAD:u89_profiling")
    (repository.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    repository.sheet.write_text(filled + "# changed\n")
    sealed = repository.seal(unit)
    assert not trace.exists()
    assert sealed.commit.id == ""
    assert sealed.verdict.word == "sealed"
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("cat-file", "-p", tree)
    assert trace.exists()  # shows that the trap is live


def test_a_repository_whose_work_tree_is_elsewhere_is_told(repository, unit, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repository.git("config", "core.worktree", str(elsewhere))
    sealed = repository.seal(unit)
    assert sealed.commit.id == ""
    assert "works elsewhere" in sealed.commit.note
