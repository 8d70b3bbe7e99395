"""Commit exactly one file in the student's repository, running nothing that repository asks for.

Only plumbing commands are used: the sealed bytes become a blob, a tree made in an index of its own
becomes a commit, and the branch moves to it. Hooks, filters, fsmonitor, signing and remote helpers
stay out of it, and what else is staged stays staged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 60.0
_NOBODY = ("Torch Evidence student", "student@localhost")
_KEPT = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
_QUIET = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": os.devnull,
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """What became of committing a file.

    Attributes:
        id: Id of the commit that holds the file as sealed; empty when there is none.
        note: Why there is none, or what is remarkable about it; empty when all went as usual.
    """

    id: str
    note: str = ""


class _GitError(Exception):
    """A git command failed; the message is its own last line."""


def commit_file(path: Path, content: bytes, message: str) -> Commit:
    """Commit `content` as the file `path`, and nothing else, if it lies in a repository.

    Never raises for what git does: a seal stands in the ledger whether or not it is committed.

    Args:
        path: The file.
        content: Its bytes as they were sealed, whatever happened to the file since.
        message: The commit's message.
    """
    program = shutil.which("git")
    if program is None:
        return Commit("", "git is not installed, so the sheet was not committed")
    git = _Git(program, path.absolute().parent)
    try:
        root = git.run("rev-parse", "--show-toplevel")
    except _GitError as error:
        if "not a git repository" in str(error):
            return Commit("", "this is no git repository, so the sheet was not committed")
        return Commit("", f"the sheet was not committed: {error}")
    except OSError as error:
        return Commit("", f"the sheet was not committed: git cannot run, {error.strerror}")
    try:
        name = path.absolute().parent.resolve().relative_to(Path(root).resolve()) / path.name
        return _commit(git, name.as_posix(), content, message)
    except ValueError:
        return Commit("", f"the sheet was not committed: its repository works elsewhere, in {root}")
    except (_GitError, OSError) as error:
        return Commit("", f"the sheet was not committed: {error}")


def _commit(git: _Git, name: str, content: bytes, message: str) -> Commit:
    blob = git.run("hash-object", "-w", "--stdin", stdin=content)
    parent = git.try_run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if parent and git.try_run("rev-parse", "--verify", "--quiet", f"HEAD:{name}") == blob:
        return Commit(parent, "the sheet was committed already")
    entry = ("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    with tempfile.TemporaryDirectory() as folder:
        own_index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if parent:
            git.run("read-tree", parent, env=own_index)
        git.run(*entry, env=own_index)
        tree = git.run("write-tree", env=own_index)
    author, note = _author(git)
    parents = ("-p", parent) if parent else ()
    commit = git.run("commit-tree", tree, *parents, "-m", message, env=author)
    git.run(*entry)
    git.run("update-ref", "-m", f"commit: {message}", "HEAD", commit, parent or "0" * len(commit))
    return Commit(commit, note)


def _author(git: _Git) -> tuple[Mapping[str, str], str]:
    """Return the identity to commit under, a placeholder with a note if git knows none."""
    if git.try_run("var", "GIT_COMMITTER_IDENT") and git.try_run("var", "GIT_AUTHOR_IDENT"):
        return {}, ""
    name, email = _NOBODY
    identity = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
    identity |= {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email}
    note = f"committed as {name}; tell git your name: git config --global user.name ..."
    return identity, note


@dataclass(frozen=True, slots=True)
class _Git:
    """The git program in one folder, deaf to everything but its arguments."""

    program: str
    folder: Path

    def run(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run one command and return what it prints."""
        options = [part for key, value in _QUIET.items() for part in ("-c", f"{key}={value}")]
        try:
            done = subprocess.run(
                [self.program, *options, *arguments],
                cwd=self.folder,
                input=stdin,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
                env=_environment() | dict(env or {}),
            )
        except subprocess.TimeoutExpired as error:
            raise _GitError(f"git did not answer within {_PATIENCE:g} s") from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _GitError(said[-1] if said else f"git {arguments[0]} failed")
        return done.stdout.decode("utf-8", "surrogateescape").strip("\n")

    def try_run(self, *arguments: str) -> str:
        """Run one command whose failure is an answer: empty."""
        try:
            return self.run(*arguments)
        except _GitError:
            return ""


def _environment() -> dict[str, str]:
    """Return this process's environment without anything that redirects or speaks for git."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in _KEPT}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }
