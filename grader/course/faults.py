"""Known mistakes: each a short file that is appended to the solution it spoils.

The file's docstring says what the mistake is, then, after a blank line, TOML: ``check`` (the one
check that must catch it), ``stage``, ``says`` (the sentence for a student whose result is the
same), and optionally ``also`` (checks that cannot help failing too) and ``source``. What a project
hands in beside its stages can be wrong too: ``edits`` lists ``{ file, old, new }``.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path

from grader.course.unit import STAGES, Unit, stage_file
from grader.course.variants import edited
from grader.errors import CourseError, Problem


@dataclass(frozen=True, slots=True)
class Fault:
    """One known mistake of a unit.

    Attributes:
        id: The file's name without its ending.
        title: What it does wrong, for authors.
        check: Id of the check that must catch it.
        stage: Stage that it spoils.
        says: Sentence for a student whose result equals what this mistake gives.
        also: Other checks that may fail with it.
        source: Where the mistake was seen; may be empty.
        body: Code that overrides functions of the solution.
        path: The file.
        edits: File that is handed in, text that stands in it once, and what is there instead.
    """

    id: str
    title: str
    check: str
    stage: str
    says: str
    also: tuple[str, ...]
    source: str
    body: str
    path: Path
    edits: tuple[tuple[str, str, str], ...] = ()


def load_faults(unit: Unit, solutions: Path) -> tuple[Fault, ...]:
    """Return the known mistakes of a unit, by name.

    Raises:
        CourseError: with every malformed file.
    """
    faults: list[Fault] = []
    problems: list[Problem] = []
    for path in sorted((solutions / unit.folder / "faults").glob("*.py")):
        try:
            faults.append(_read(path))
        except CourseError as error:
            problems.extend(error.problems)
    if problems:
        raise CourseError(problems)
    return tuple(faults)


def write_stages(unit: Unit, solutions: Path, target: Path, fault: Fault | None = None) -> None:
    """Write the unit's solved stages into `target`, spoiled by `fault` if one is given.

    What the unit asks for beside them is written too.
    """
    target.mkdir(parents=True, exist_ok=True)
    for stage in STAGES:
        source = solutions / unit.folder / stage_file(stage)
        if not source.is_file():
            continue
        text = source.read_text(encoding="utf-8")
        if fault is not None and fault.stage == stage:
            text = f"{text}\n\n{fault.body}"
        (target / stage_file(stage)).write_text(text, encoding="utf-8")
    for name in unit.files:
        source = solutions / unit.folder / name
        if source.is_file():
            text = source.read_text(encoding="utf-8")
            edits = fault.edits if fault is not None else ()
            own = [(old, new) for file, old, new in edits if file == name]
            (target / name).write_text(edited(text, own, str(source)), encoding="utf-8")


def tasks_touched(fault: Fault, unit: Unit, solutions: Path) -> frozenset[str]:
    """Return the ids of the tasks of the fault's stage whose outcome the fault can change.

    A function can behave differently only if it is overridden, or refers, directly or through
    other names of the module, to one that is. A fault that does more at import than to bind names
    may change everything; one in a file that is handed in is looked for by the tasks of its checks.
    """
    if fault.edits:
        return frozenset(check.partition("/")[0] for check in (fault.check, *fault.also))
    text = (solutions / unit.folder / stage_file(fault.stage)).read_text(encoding="utf-8")
    body = ast.parse(fault.body).body
    uses: dict[str, set[str]] = {}
    for node in (*ast.parse(text).body, *body):
        for name in _bound(node):
            uses.setdefault(name, set()).update(_mentioned(node))
    changed = {name for node in body for name in _bound(node)}
    everything = any(not _bound(node) for node in body)
    while grown := {name for name, used in uses.items() if used & changed} - changed:
        changed |= grown
    return frozenset(
        task.id for task in unit.stage_tasks(fault.stage) if everything or task.function in changed
    )


def _bound(node: ast.stmt) -> set[str]:
    """Return the module-level names that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def _mentioned(node: ast.stmt) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _read(path: Path) -> Fault:
    text = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text)
        title, _, table = (ast.get_docstring(tree) or "").partition("\n\n")
        data = tomllib.loads(table)
    except (SyntaxError, tomllib.TOMLDecodeError) as error:
        raise CourseError(Problem(str(path), f"cannot be read: {error}")) from error
    missing = [key for key in ("check", "stage", "says") if not isinstance(data.get(key), str)]
    if missing or not title:
        todo = "write them after the docstring's first paragraph"
        raise CourseError(Problem(str(path), f"the docstring lacks {', '.join(missing)}", todo))
    end = tree.body[0].end_lineno or 0
    return Fault(
        id=path.stem,
        title=" ".join(title.split()),
        check=data["check"],
        stage=data["stage"],
        says=data["says"],
        also=tuple(data.get("also", ())),
        source=str(data.get("source", "")),
        body="\n".join(text.splitlines()[end:]).strip() + "\n",
        path=path,
        edits=tuple((edit["file"], edit["old"], edit["new"]) for edit in data.get("edits", ())),
    )
