"""The commands of `grade`, each imported only when it is used, so that `grade list` is quick."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import Any

import click

import grader

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """A group that knows its commands as ``module:attribute`` and imports the one that is run."""

    def __init__(self, *args: Any, lazy: Mapping[str, str], **kwargs: Any) -> None:
        """Take the commands' addresses by name."""
        super().__init__(*args, **kwargs)
        self._lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names in the order a student meets them."""
        return [*self._lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command, importing its module now."""
        address = self._lazy.get(cmd_name)
        if address is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = address.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{address} is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run; for an unknown one, name the nearest."""
        name = args[0] if args else ""
        names = self.list_commands(ctx)
        if name and not name.startswith("-") and name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f"; did you mean `{ctx.command_path} {near[0]}`?" if near else ""
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings=_CONTEXT,
    lazy={
        "list": "grader.cli.student:list_command",
        "start": "grader.cli.student:start_command",
        "predict": "grader.cli.student:predict_command",
        "unit": "grader.cli.student:unit_command",
        "page": "grader.cli.student:page_command",
        "selftest": "grader.cli.student:selftest_command",
        "project": "grader.cli.commands:project",
        "ready": "grader.cli.student:ready_command",
        "doctor": "grader.cli.student:doctor_command",
        "author": "grader.cli.commands:author",
    },
)
@click.version_option(grader.__version__, message="Torch Evidence %(version)s")
def grade() -> None:
    """Check, measure and score exercises on reliable PyTorch execution."""


@click.group(
    cls=LazyGroup,
    context_settings=_CONTEXT,
    lazy={"start": "grader.cli.student:project_start_command"},
)
def project() -> None:
    """Begin the mini-project."""


@click.group(
    cls=LazyGroup,
    context_settings=_CONTEXT,
    lazy={
        "check": "grader.cli.author:check_command",
        "stubs": "grader.cli.author:stubs_command",
    },
)
def author() -> None:
    """Keep the content of the course sound."""
