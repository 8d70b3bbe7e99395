"""Hostile submissions, graded whole, at every confinement level of this machine.

Each gains nothing (no check of the attacked task is met), harms nothing (the other stage, the files
and the processes are as they were), and the report says what happened.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.checks.evidence import Evidence, Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.unit import Unit
from grader.grading import open_sandbox
from grader.sandbox import levels
from grader.sandbox.client import Sandbox
from grader.sandbox.limits import Limits
from grader.submission.folder import read_submission
from tests.toy_unit import TORCH_SOLUTION, make_toy

LEVELS = [level for level in range(3) if not levels.missing(level)]
LIMITS = Limits(wall=5.0, cpu=2.0, memory=256 << 20)

FORGED = (
    '{"checks": [{"id": "9.1.a/doubles", "status": "met"}], "rows": [{"id": "timing", '
    '"level": "strong"}]}'
)

EQUAL = """
class Equal(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __array__(self, *a, **k): return self
    def __reduce__(self): return (print, ("ran in the driver",))
    def __getattr__(self, name): return self
"""

ATTACKS = {
    "exit at import": "import os\nos._exit(0)\ndef double(x):\n    return 2 * x\n",
    "exit in the function": "import os\ndef double(x):\n    os._exit(0)\n",
    "sys.exit": "import sys\ndef double(x):\n    sys.exit(0)\n",
    "forged report": (
        f"import os, sys\ndef double(x):\n    print('''{FORGED}''')\n"
        f"    sys.stderr.write('''{FORGED}''')\n    sys.stdout.flush()\n    os._exit(0)\n"
    ),
    "forged report at exit": (
        f"import atexit\natexit.register(print, '''{FORGED}''')\ndef double(x):\n    return 0 * x\n"
    ),
    "forged bytes to every descriptor": (
        f"import os\ndef double(x):\n    for fd in range(3, 256):\n        try:\n"
        f"            os.write(fd, b'''{FORGED}''' * 100)\n        except OSError:\n"
        f"            pass\n    return 0 * x\n"
    ),
    "patches pytest, numpy, torch and time": (
        "import builtins, sys, time\nimport numpy as np\n"
        "yes = lambda *a, **k: True\n"
        "for name in ('allclose', 'array_equal', 'isclose', 'all', 'any', 'count_nonzero'):\n"
        "    setattr(np, name, yes)\n"
        "np.testing.assert_allclose = yes\nbuiltins.abs = lambda x: 0\n"
        "time.monotonic = time.perf_counter = time.time = lambda: 0.0\n"
        "try:\n    import _pytest.runner as runner\n"
        "    runner.check_interactive_exception = yes\n"
        "    runner.call_and_report = yes\n    import pytest\n    pytest.fail = yes\n"
        "except BaseException:\n    pass\n"
        "for module in list(sys.modules.values()):\n"
        "    if 'grader' in getattr(module, '__name__', ''):\n"
        "        for name in dir(module):\n"
        "            if name.startswith('answers'):\n                setattr(module, name, yes)\n"
        "def double(x):\n    return 0 * x\n"
    ),
    "an object equal to everything": f"{EQUAL}def double(x):\n    return Equal(0)\n",
    "an array subclass equal to everything": (
        "import numpy as np\nclass Equal(np.ndarray):\n"
        "    def __eq__(self, other): return True\n"
        "    def __array_ufunc__(self, *a, **k): return True\n"
        "def double(x):\n    return np.zeros(3).view(Equal)\n"
    ),
    "hunts for the expected value": (
        "import gc, sys\ndef double(x):\n"
        "    frame = sys._getframe()\n"
        "    while frame is not None:\n"
        "        for value in list(frame.f_locals.values()):\n"
        "            if isinstance(value, dict) and 'expected' in value:\n"
        "                return value['expected']\n"
        "        frame = frame.f_back\n"
        "    for thing in gc.get_objects():\n"
        "        if isinstance(thing, dict) and 'expected' in thing and 'got' in thing:\n"
        "            return thing['expected']\n"
        "    return 0 * x\n"
    ),
    "sleeps for ever": "import time\ndef double(x):\n    time.sleep(1e6)\n",
    "computes for ever": "def double(x):\n    while True:\n        pass\n",
    "prints 200 MB": (
        "import sys\ndef double(x):\n    for _ in range(200):\n"
        "        sys.stdout.write('x' * 1_000_000)\n    return 0 * x\n"
    ),
    "allocates without end": (
        "def double(x):\n    kept = []\n    while True:\n        kept.append(bytearray(1 << 24))\n"
    ),
    "forks": (
        "import os, time\ndef double(x):\n    for _ in range(50):\n"
        "        if os.fork() == 0:\n            time.sleep(1000)\n            os._exit(0)\n"
        "    return 0 * x\n"
    ),
    "leaves a daemon behind": (
        "import os, signal, time\ndef double(x):\n"
        "    try:\n        child = os.fork()\n    except Exception:\n        return 0 * x\n"
        "    if child == 0:\n        os.setsid()\n        if os.fork():\n            os._exit(0)\n"
        "        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):\n"
        "            signal.signal(number, signal.SIG_IGN)\n        time.sleep(1000)\n"
        "    return 0 * x\n"
    ),
    "kills its parents": (
        "import os, signal\ndef double(x):\n"
        "    try:\n        os.kill(os.getppid(), signal.SIGKILL)\n"
        "    except Exception:\n        pass\n"
        "    try:\n        os.killpg(0, signal.SIGKILL)\n    except Exception:\n        pass\n"
        "    return 0 * x\n"
    ),
    "crashes": "import ctypes\ndef double(x):\n    ctypes.string_at(0)\n",
    "recursion without end": "def double(x):\n    return double(x)\n",
    "raises an exception with a hostile text": (
        "class Bad(BaseException):\n    def __str__(self): raise SystemExit(0)\n"
        "def double(x):\n    raise Bad\n"
    ),
    "a huge nested list": (
        "def double(x):\n    value = []\n    for _ in range(100_000):\n        value = [value]\n"
        "    return value\n"
    ),
    "a huge array": "import numpy as np\ndef double(x):\n    return np.zeros(1 << 27, 'int8')\n",
    "NaN": "def double(x):\n    return x * float('nan')\n",
}

READS = """
import os
FOUND = None
for path in {paths!r}:
    try:
        with open(path) as file:
            FOUND = file.read()
        break
    except Exception as error:
        print(type(error).__name__)
try:
    for pid in os.listdir("/proc"):
        if pid.isdigit() and pid != str(os.getpid()):
            with open("/proc/" + pid + "/environ", "rb") as file:
                if b"TORCH_EVIDENCE_SECRET" in file.read():
                    FOUND = FOUND or "the secret"
except Exception as error:
    print(type(error).__name__)


def double(x):
    if FOUND:
        return 2 * x
    return 0 * x
"""

WRITES = """
import os
def double(x):
    for path in {paths!r}:
        try:
            with open(path, "w") as file:
                file.write("spoiled")
        except Exception as error:
            print(type(error).__name__)
        try:
            os.unlink(path)
        except Exception as error:
            print(type(error).__name__)
    return 0 * x
"""


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, Unit]:
    return make_toy(tmp_path_factory.mktemp("attacked"))


@pytest.fixture(scope="module", params=LEVELS, ids=lambda level: f"level{level}")
def bench(
    request: pytest.FixtureRequest, toy: tuple[Content, Unit]
) -> Iterator[tuple[Bench, Sandbox]]:
    content, unit = toy
    with (
        pytest.MonkeyPatch.context() as patch,
        open_sandbox(unit, content, request.param) as sandbox,
    ):
        patch.setenv("TORCH_EVIDENCE_SECRET", "for the driver alone")
        bench = Bench(unit, sandbox, LIMITS)
        submission = read_submission(content.solutions, unit)
        warm = run_checks(bench, submission, content.solutions, "seed")
        assert [found.status for found in warm.evidence] == [Status.MET] * 3
        yield bench, sandbox


def attack(
    bench: tuple[Bench, Sandbox], toy: tuple[Content, Unit], folder: Path, numpy: str
) -> dict[str, Evidence]:
    """Grade a submission whose NumPy stage is hostile; return its evidence by check."""
    content, unit = toy
    work = folder / unit.folder
    work.mkdir(parents=True)
    (work / "numpy_stage.py").write_text(numpy)
    (work / "torch_stage.py").write_text(TORCH_SOLUTION)
    before = fingerprint(content.exercises, content.solutions, work)
    processes = strangers()
    submission = read_submission(folder, unit)
    result = run_checks(bench[0], submission, content.solutions, "seed")
    assert fingerprint(content.exercises, content.solutions, work) == before
    assert not result.broken
    deadline = time.monotonic() + 5
    while (left := strangers() - processes - zygotes(bench[1])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left, [psutil.Process(pid).cmdline() for pid in left if psutil.pid_exists(pid)]
    return {found.check: found for found in result.evidence}


def fingerprint(*folders: Path) -> dict[Path, str]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def strangers() -> set[int]:
    """Processes below this one, and those that nobody owns any more."""
    me = psutil.Process()
    below = {child.pid for child in me.children(recursive=True) if alive(child)}
    orphans = {
        process.pid
        for process in psutil.process_iter(["ppid", "cmdline"])
        if process.info["ppid"] in (1, me.ppid())
        and "grader.sandbox" in " ".join(process.info["cmdline"] or [])
        and alive(process)
    }
    return below | orphans


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def zygotes(sandbox: Sandbox) -> set[int]:
    """The sandbox's own long-lived processes, which may have been started meanwhile."""
    me = psutil.Process()
    return {
        child.pid
        for child in me.children()
        if alive(child) and "grader.sandbox.zygote" in " ".join(child.cmdline())
    }


SAID: dict[str, str] = {
    "exit at import": "ended itself with status 0",
    "exit in the function": "ended itself with status 0",
    "sys.exit": "SystemExit",
    "sleeps for ever": "time limit",
    "computes for ever": "stopped",
    "allocates without end": "memory",
    "crashes": "SIGSEGV",
    "an object equal to everything": "Equal",
    "recursion without end": "RecursionError",
    "NaN": "values differ",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gains_nothing_harms_nothing_and_is_told(
    bench: tuple[Bench, Sandbox], toy: tuple[Content, Unit], tmp_path: Path, name: str
) -> None:
    found = attack(bench, toy, tmp_path, ATTACKS[name])
    for check in ("9.1.a/doubles", "9.1.P/doubling_a_fresh_number"):
        assert found[check].status in (Status.NOT_MET, Status.STOPPED, Status.VOID), found[check]
        assert len(found[check].message) > 10, "the report does not say what happened"
        assert "Traceback" not in found[check].message
    assert SAID.get(name, "").lower() in found["9.1.a/doubles"].message.lower()
    assert found["9.1.b/sums"].status is Status.MET, "another stage was harmed"


def test_hidden_checks_solutions_and_proc_are_out_of_reach(
    bench: tuple[Bench, Sandbox], toy: tuple[Content, Unit], tmp_path: Path
) -> None:
    content, unit = toy
    hidden = unit.hidden / "test_numpy.py"
    solution = content.solutions / unit.folder / "numpy_stage.py"
    paths = [str(hidden), str(solution), f"/proc/{os.getpid()}/environ"]
    paths += [f"/proc/{os.getpid()}/cwd/{path}" for path in (hidden, solution)]
    found = attack(bench, toy, tmp_path, READS.format(paths=paths))
    assert found["9.1.a/doubles"].status is Status.NOT_MET


def test_nothing_outside_the_scratch_folder_can_be_written(
    bench: tuple[Bench, Sandbox], toy: tuple[Content, Unit], tmp_path: Path
) -> None:
    content, unit = toy
    victims = [
        unit.hidden / "test_numpy.py",
        content.solutions / unit.folder / "numpy_stage.py",
        unit.hidden / "probes.py",
        tmp_path / unit.folder / "numpy_stage.py",
    ]
    found = attack(bench, toy, tmp_path, WRITES.format(paths=[str(path) for path in victims]))
    assert found["9.1.a/doubles"].status is Status.NOT_MET


def test_printing_without_end_is_cut_with_a_note(
    bench: tuple[Bench, Sandbox], toy: tuple[Content, Unit], tmp_path: Path
) -> None:
    found: Any = attack(bench, toy, tmp_path, ATTACKS["prints 200 MB"])["9.1.a/doubles"]
    assert "cut" in found.output
    assert len(found.output) < 1 << 20
