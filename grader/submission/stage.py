"""What can be said of a stage file without running it: syntax, functions, arguments, imports."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from grader.course.unit import Task
from grader.errors import Problem

NEW_COPY = "`grade start` in another folder makes a new copy of the stub"


@dataclass(frozen=True, slots=True)
class StageProblems:
    """What keeps a stage, or single tasks of it, from being checked."""

    whole: Problem | None = None
    by_task: Mapping[str, Problem] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Problem, ...]:
        """Every problem once."""
        return (self.whole,) if self.whole else tuple(self.by_task.values())

    def of(self, task_id: str) -> Problem | None:
        """Return the problem that keeps this task from being checked."""
        return self.whole or self.by_task.get(task_id)


@lru_cache(maxsize=32)
def inspect_stage(
    name: str,
    content: bytes | None,
    tasks: tuple[Task, ...],
    stub: str,
    unreadable: Problem | None = None,
) -> StageProblems:
    """Inspect one stage file.

    Args:
        name: File name, for messages.
        content: Its bytes, or None when there is no such file.
        tasks: The tasks whose functions it should define.
        stub: Text of the stub, whose signatures are the contract.
        unreadable: A problem found while reading it.
    """
    if unreadable:
        return StageProblems(unreadable)
    if content is None:
        return StageProblems(Problem(name, "there is no such file", NEW_COPY))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        seen = f"byte {error.start} is not UTF-8"
        return StageProblems(Problem(f"{name}:{line}", seen, "save the file as UTF-8"))
    tree = _parse(text)
    if isinstance(tree, Problem):
        place = f"{name}:{tree.where}" if tree.where else name
        return StageProblems(Problem(place, tree.seen, tree.todo))
    if line := _first_import(tree, "grader"):
        todo = "solve it with your own code; of the course, `compact` may be imported"
        return StageProblems(Problem(f"{name}:{line}", "the stage imports the grader", todo))
    if name.startswith("numpy") and (line := _first_import(tree, "torch")):
        todo = "this stage is written with NumPy alone"
        return StageProblems(Problem(f"{name}:{line}", "the NumPy stage imports torch", todo))
    return StageProblems(by_task=_function_problems(name, tree, tasks, stub))


def _parse(text: str) -> ast.Module | Problem:
    """Return the syntax tree, or the problem with its line in `where`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        shown = (error.text or "").strip()
        at = f" at `{shown}`" if shown else ""
        return Problem(str(error.lineno or ""), f"not valid Python: {error.msg}{at}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Problem("", f"not valid Python: {error or type(error).__name__}")


def _first_import(tree: ast.Module, package: str) -> int:
    """Return the line of the first import from a package, 0 if there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt) and package in _imported_packages(node):
            return node.lineno
    return 0


def _imported_packages(node: ast.AST) -> frozenset[str]:
    """Return the top packages a node imports by statement or by a call with a written name."""
    match node:
        case ast.Import(names=aliases):
            names = [alias.name for alias in aliases]
        case ast.ImportFrom(module=str(module), level=0):
            names = [module]
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module")
            | ast.Attribute(attr="__import__" | "import_module"),
            args=[ast.Constant(value=str(module)), *_],
        ):
            names = [module]
        case _:
            names = []
    return frozenset(name.split(".")[0] for name in names)


def _function_problems(
    name: str, tree: ast.Module, tasks: Sequence[Task], stub: str
) -> dict[str, Problem]:
    """Return a problem for each task whose function is absent or takes other arguments."""
    bound, anything = bound_names(tree)
    functions = _functions(tree)
    wanted = _functions(ast.parse(stub)) if stub else {}
    problems = {}
    for task in tasks:
        function = task.function
        if function not in bound and not anything:
            problems[task.id] = Problem(name, f"there is no function `{function}`", NEW_COPY)
        elif function in functions and function in wanted:
            seen, contract = functions[function].args, wanted[function].args
            if not _accepts(seen, contract):
                problems[task.id] = Problem(
                    f"{name}:{functions[function].lineno}",
                    f"`{function}({ast.unparse(seen)})` takes other arguments than the task asks",
                    f"the task's line is `def {function}({ast.unparse(contract)})`",
                )
    return problems


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    plain = (node for node in tree.body if isinstance(node, kinds))
    return {node.name: node for node in plain if not node.decorator_list}


def bound_names(tree: ast.Module) -> tuple[set[str], bool]:
    """Return the names a module binds, and whether it may bind others (a star import)."""
    names: set[str] = set()
    star = False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            star |= any(alias.name == "*" for alias in node.names)
            names.update(alias.asname or alias.name for alias in node.names)
    return names, star


def _accepts(seen: ast.arguments, contract: ast.arguments) -> bool:
    """Whether a call that fits `contract` also fits `seen`."""
    own = [arg.arg for arg in (*seen.posonlyargs, *seen.args)]
    asked = [arg.arg for arg in (*contract.posonlyargs, *contract.args)]
    keyword_only = {arg.arg for arg in seen.kwonlyargs}
    asked_by_keyword = {arg.arg for arg in contract.kwonlyargs}
    if seen.vararg is None and own[: len(asked)] != asked:
        return False
    if seen.vararg is not None and seen.kwarg is None and own != asked[: len(own)]:
        return False
    if seen.kwarg is None and not asked_by_keyword <= keyword_only | set(own):
        return False
    required = own[: len(own) - len(seen.defaults)]
    return set(required) <= set(asked) | asked_by_keyword
