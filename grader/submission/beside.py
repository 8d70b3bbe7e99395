"""The student's files that a sheet is about: are they there and filled in, and their digests."""

from __future__ import annotations

import ast
import hashlib

from grader.course.project import ADAPTER_FILE, PROJECT_FILE
from grader.course.unit import Unit
from grader.errors import Problem
from grader.submission.folder import Submission
from grader.submission.stage import bound_names

ADAPTER_FUNCTIONS = ("make_model", "make_batches", "loss")
_BOUND = (ADAPTER_FILE, PROJECT_FILE)
_TODO = "`grade project start` writes it"


def digests(submission: Submission, unit: Unit) -> dict[str, str]:
    """Return the SHA-256 of each file that a sheet is measured beside, by name.

    Nothing for a unit whose sheet is about the course's own code.
    """
    if not unit.measures_beside:
        return {}
    files = submission.files
    return {name: hashlib.sha256(files[name]).hexdigest() for name in _BOUND if name in files}


def beside_problems(submission: Submission, unit: Unit) -> tuple[Problem, ...]:
    """Return what is missing before a sheet about the student's own code can be sealed."""
    if not unit.measures_beside:
        return ()
    missing = [name for name in _BOUND if name not in submission.files]
    if len(missing) == len(_BOUND):
        seen = "no project has begun here"
        return (Problem(unit.folder, seen, "begin with `grade project start`"),)
    problems = [Problem(name, "there is no such file", _TODO) for name in missing]
    if ADAPTER_FILE in submission.files:
        problems += _adapter_problems(submission.files[ADAPTER_FILE])
    return tuple(problems)


def _adapter_problems(content: bytes) -> list[Problem]:
    """Return what an adapter lacks, as far as its text says."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [Problem(ADAPTER_FILE, f"not valid Python: {error}")]
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    bound, anything = bound_names(tree)
    found = []
    for name in ADAPTER_FUNCTIONS:
        if name in functions and _is_stub(functions[name]):
            found.append(Problem(ADAPTER_FILE, f"{name} is not filled in", "write it first"))
        elif name not in bound and not anything:
            found.append(Problem(ADAPTER_FILE, f"there is no function `{name}`", "write it first"))
    return found


def _is_stub(function: ast.FunctionDef) -> bool:
    """Whether all that a function does is to raise `NotImplementedError`."""
    last = function.body[-1]
    rest = [node for node in function.body[:-1] if not isinstance(node, ast.Expr)]
    return not rest and isinstance(last, ast.Raise) and "NotImplementedError" in ast.unparse(last)
