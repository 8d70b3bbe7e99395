"""`grade doctor`: what this machine can and cannot do for the course."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

import grader
from grader.cli.machine import clock_words, noise_words, program_version, torch_answer
from grader.instruments.environment import usable_cores, versions
from grader.report.clean import clean
from grader.report.layout import PlainConsole
from grader.report.palette import BOLD, style_of
from grader.report.progress import Progress

ABLE, UNABLE = 0, 1
_INDENT = 2
_NAME = 14


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the examination.

    Attributes:
        name: What was looked at.
        words: What was found.
        lack: What is missing, and what that means; empty when nothing is.
        essential: Whether nothing can be graded without it.
    """

    name: str
    words: str
    lack: str = ""
    essential: bool = False


def examine() -> int:
    """Examine this machine and print what is found; return 1 if it cannot grade at all."""
    console, progress = PlainConsole(sys.stdout), Progress(sys.stderr)
    console.lines(Text(f"Torch Evidence {grader.__version__}", style=BOLD), Text(), 0)
    status = ABLE
    for finding in findings(progress):
        progress.clear()
        lead = Text(" " * _INDENT + f"{finding.name:<{_NAME}}")
        body = Text(clean(finding.words))
        if finding.lack:
            style = style_of("not met" if finding.essential else "inconclusive")
            body.append("; " if finding.words else "").append(clean(finding.lack), style=style)
        console.lines(lead, body, _INDENT + _NAME)
        status = UNABLE if finding.lack and finding.essential else status
    return status


def findings(progress: Progress) -> Iterator[Finding]:
    """Yield what is found, quick things first."""
    found = versions()
    yield Finding("python", f"{found['python']} in {sys.executable}")
    numpy = found["numpy"]
    yield Finding("numpy", numpy or "", "" if numpy else "not installed", essential=True)
    progress.show("importing torch ...")
    yield from _torch(found["torch"])
    compiler = program_version("g++") or program_version("clang++")
    lack = "" if compiler else "none found: unit 8.8 cannot compile kernels and skips those checks"
    yield Finding("compiler", compiler, lack)
    git = program_version("git")
    yield Finding("git", git, "" if git else "not found: seals are recorded, not committed")
    strace = program_version("strace")
    yield Finding("strace", strace, "" if strace else "not found: no check needs it today")
    progress.show("trying the walls of the sandbox ...")
    yield from _confinement()
    progress.show("timing equal runs ...")
    yield Finding("clock", clock_words())
    words, lack = noise_words()
    yield Finding("noise", words, lack)


def _torch(version: str | None) -> Iterator[Finding]:
    if version is None:
        yield Finding("torch", "", "not installed", essential=True)
        return
    answer = torch_answer()
    if answer.problem:
        yield Finding("torch", version, f"cannot be imported: {answer.problem}", essential=True)
        return
    yield Finding("torch", f"{answer.version}, imported in {answer.seconds:.1f} s")
    cores = usable_cores() or 1
    cpu = f"cpu ({cores} core{'s' if cores != 1 else ''})"
    lack = "" if answer.devices else "no accelerator: checks that need one are skipped"
    yield Finding("devices", ", ".join((cpu, *answer.devices)), lack)


def _confinement() -> Iterator[Finding]:
    if sys.platform == "win32":
        yield Finding("confinement", "", "the sandbox needs POSIX: use WSL2", essential=True)
        return
    from grader.sandbox import levels
    from grader.sandbox.confinement import WORDS

    best = levels.best()
    lacks = levels.missing(best + 1) if best < levels.HIGHEST else ()
    lack = f"for level {best + 1}: {'; '.join(lacks)}" if lacks else ""
    yield Finding("confinement", WORDS[best], lack)
