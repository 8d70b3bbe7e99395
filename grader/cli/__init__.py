"""The command line: `grade`."""

from grader.cli.entry import main

__all__ = ["main"]
