"""The commands of an author. Each imports what it needs when it runs."""

from __future__ import annotations

import click


@click.command("check")
@click.argument("unit", metavar="[UNIT]", required=False)
def check_command(unit: str | None) -> int:
    """Hold UNIT, or every unit, against the contract of the course's content."""
    from grader.cli.content import check_units

    return check_units(unit)


@click.command("stubs")
@click.argument("unit", metavar="[UNIT]", required=False)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; say what is out of date.")
def stubs_command(unit: str | None, only_check: bool) -> int:
    """Make the stubs and blank sheet of UNIT, or of every unit, from solutions and unit.toml."""
    from grader.cli.content import make_stubs

    return make_stubs(unit, only_check=only_check)
