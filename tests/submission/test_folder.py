from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.course.unit import Task, Unit
from grader.errors import SubmissionError
from grader.submission.folder import MAX_BYTES, MAX_FILES, read_submission

HINTS = ("a", "b", "c")


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    path = tmp_path / "exercises" / "u11_toy"
    path.mkdir(parents=True)
    (path / "numpy_stage.py").write_text("def twice(x):\n    raise NotImplementedError\n")
    (path / "torch_stage.py").write_text("def half(x, *, floor=False):\n    raise\n")
    tasks = (
        Task("1.1.a", "numpy", "twice", "Double", 5, "timing", HINTS),
        Task("1.1.b", "torch", "half", "Halve", 5, "timing", HINTS),
    )
    return Unit("1.1", "toy", 1, (), ("timing",), tasks, (), (), path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "u11_toy"
    folder.mkdir(parents=True)
    (folder / "numpy_stage.py").write_text("def twice(x):\n    return 2 * x\n")
    (folder / "torch_stage.py").write_text("def half(x, *, floor=False):\n    return x / 2\n")
    return folder.parent


def said(unit: Unit, root: Path) -> list[str]:
    return [str(problem) for problem in read_submission(root, unit).all_problems]


def test_a_good_submission_has_no_problem_from_either_folder(unit: Unit, root: Path) -> None:
    assert said(unit, root) == []
    assert read_submission(root / "u11_toy", unit).digest == read_submission(root, unit).digest


def test_the_digest_changes_with_any_file_and_only_then(unit: Unit, root: Path) -> None:
    before = read_submission(root, unit).digest
    (root / "notes.txt").write_text("not graded")
    assert read_submission(root, unit).digest == before
    (root / "u11_toy" / "extra.py").write_text("x = 1")
    assert read_submission(root, unit).digest != before


def test_copies_hold_the_python_files_and_leave_the_originals(
    unit: Unit, root: Path, tmp_path: Path
) -> None:
    (root / "u11_toy" / "prediction.toml").write_text("")
    (root / "u11_toy" / "parts").mkdir()
    (root / "u11_toy" / "parts" / "more.py").write_text("x = 1")
    read_submission(root, unit).copy_to(tmp_path / "copy")
    found = {p.relative_to(tmp_path / "copy").as_posix() for p in (tmp_path / "copy").rglob("*.*")}
    assert found == {"numpy_stage.py", "torch_stage.py", "parts/more.py"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"def twice(x:\n    pass\n", "numpy_stage.py:1: not valid Python"),
        (b"x = 1\n", "there is no function `twice`"),
        (b"def twice(y):\n    return y\n", "`twice(y)` takes other arguments"),
        (b"def twice(x, z):\n    return x\n", "`def twice(x)`"),
        (
            b"import torch\ndef twice(x):\n    return x\n",
            "numpy_stage.py:1: the NumPy stage imports",
        ),
        (b"def twice(x):\n    from torch import nn\n", "numpy_stage.py:2: the NumPy stage imports"),
        (
            b"def twice(x):\n    from grader.instruments import nesting\n",
            "numpy_stage.py:2: the stage imports the grader",
        ),
        (b"def twice(x):\n    __import__('grader.checks')\n", "py:2: the stage imports the grader"),
        (
            b"import importlib as i\ndef twice(x):\n    i.import_module('torch.nn')\n",
            "numpy_stage.py:3: the NumPy stage imports torch",
        ),
        (b"# caf\xe9\ndef twice(x):\n    return x\n", "numpy_stage.py:1: byte 5 is not UTF-8"),
        (b"def twice(x):\n\treturn x\n        return x\n", "not valid Python"),
        (b"x = '\0'\n", "not valid Python"),
        (b"(" * 5000, "not valid Python"),
    ],
)
def test_what_is_wrong_with_a_stage_is_said_with_its_place(
    unit: Unit, root: Path, content: bytes, words: str
) -> None:
    (root / "u11_toy" / "numpy_stage.py").write_bytes(content)
    (line,) = said(unit, root)
    assert words in line
    submission = read_submission(root, unit)
    assert submission.problem_of("1.1.a", "numpy")
    assert submission.problem_of("1.1.b", "torch") is None


@pytest.mark.parametrize(
    "content",
    [
        "def twice(x, scale=2):\n    return x\n",
        "def twice(*args, **kwargs):\n    return 2\n",
        "twice = lambda x: 2 * x\n",
        "from parts import twice\n",
        "from parts import *\n",
        "import functools\n@functools.cache\ndef twice(anything):\n    return 2\n",
        "if True:\n    def twice(x):\n        return 2\n",
        "\ufeffdef twice(x):\n    return 2\n",
        "async_names = 1\ndef twice(x: int) -> int:\n    return 2\n",
    ],
)
def test_other_ways_to_define_the_function_are_accepted(
    unit: Unit, root: Path, content: str
) -> None:
    (root / "u11_toy" / "numpy_stage.py").write_text(content, encoding="utf-8")
    assert said(unit, root) == []


def test_a_keyword_only_argument_is_part_of_the_contract(unit: Unit, root: Path) -> None:
    (root / "u11_toy" / "torch_stage.py").write_text("def half(x):\n    return x\n")
    assert "floor=False" in said(unit, root)[0]


def test_a_missing_folder_a_file_and_a_foreign_folder_are_told_apart(
    unit: Unit, root: Path, tmp_path: Path
) -> None:
    with pytest.raises(SubmissionError, match="no such folder"):
        read_submission(tmp_path / "nowhere", unit)
    (tmp_path / "file").write_text("")
    with pytest.raises(SubmissionError, match="a file, not a folder"):
        read_submission(tmp_path / "file", unit)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match=r"nothing here belongs to unit 1\.1"):
        read_submission(tmp_path / "empty", unit)


def test_a_missing_stage_is_a_problem_of_its_tasks_only(unit: Unit, root: Path) -> None:
    (root / "u11_toy" / "torch_stage.py").unlink()
    (line,) = said(unit, root)
    assert line.startswith("torch_stage.py: there is no such file")


def test_links_out_of_the_submission_are_refused(unit: Unit, root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("def twice(x):\n    return 2\n")
    stage = root / "u11_toy" / "numpy_stage.py"
    stage.unlink()
    stage.symlink_to(secret)
    assert "leads out of the submission" in said(unit, root)[0]
    (root / "u11_toy").rename(tmp_path / "elsewhere")
    (root / "u11_toy").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SubmissionError, match="leads out of the submission"):
        read_submission(root, unit)


def test_dangling_and_circular_links_folders_and_pipes_are_named(unit: Unit, root: Path) -> None:
    stage = root / "u11_toy" / "numpy_stage.py"
    stage.unlink()
    stage.symlink_to(root / "u11_toy" / "gone.py")
    assert "leads to a file that is not there" in said(unit, root)[0]
    stage.unlink()
    stage.symlink_to(stage)
    assert "numpy_stage.py: " in said(unit, root)[0]
    stage.unlink()
    os.mkfifo(stage)
    assert "not a regular file" in said(unit, root)[0]


def test_huge_and_too_many_files_are_named(unit: Unit, root: Path) -> None:
    (root / "u11_toy" / "numpy_stage.py").write_bytes(b"#" * (MAX_BYTES + 1))
    assert "numpy_stage.py" in said(unit, root)[0]
    (root / "u11_toy" / "numpy_stage.py").write_text("def twice(x):\n    return 2\n")
    for number in range(MAX_FILES):
        (root / "u11_toy" / f"extra{number:03}.py").write_text("")
    assert f"more than {MAX_FILES} files" in said(unit, root)[0]
