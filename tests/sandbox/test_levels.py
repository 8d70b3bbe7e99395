"""A level counts only when its walls were tried; what is missing is said."""

from __future__ import annotations

import errno
import functools
import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from grader.errors import SandboxError
from grader.sandbox import confinement, interpreter, landlock, levels, namespaces, seccomp, syscalls
from grader.sandbox.client import Sandbox
from grader.sandbox.grants import Grants

from .conftest import LEVELS, call


def bore(monkeypatch, module, name, value, before=""):
    """Make a hole in one module of the workers to come, which import it in another process."""
    hole = f"import grader.sandbox.{module} as m\n{textwrap.dedent(before)}\nm.{name} = {value}\n"
    boot = interpreter.BOOT.replace("import importlib; ", f"import importlib; exec({hole!r}); ")
    assert boot != interpreter.BOOT
    monkeypatch.setattr(interpreter, "BOOT", boot)


@pytest.fixture
def fresh_levels():
    levels.missing.cache_clear()
    yield
    levels.missing.cache_clear()


def test_the_best_level_is_taken_and_described(fresh_levels):
    with Sandbox() as sandbox:
        assert sandbox.level == LEVELS[-1]
        assert sandbox.describe() == confinement.WORDS[sandbox.level]


def test_a_level_that_does_not_exist_is_refused():
    with pytest.raises(SandboxError, match="there is no confinement level 3, only 0 to 2"):
        Sandbox(3)


@pytest.mark.skipif(1 not in LEVELS, reason="this machine has no level 1")
@pytest.mark.parametrize(
    ("wall", "words"),
    [
        ("landlock.restrict", "a hidden file can be read"),
        ("landlock.restrict", "a hidden folder can be listed"),
        ("landlock.restrict", "a file outside the scratch folder can be written"),
        ("seccomp.restrict", "a process can be started"),
    ],
)
def test_a_wall_that_does_not_stand_is_found_by_trying(fresh_levels, monkeypatch, wall, words):
    module, function = wall.split(".")
    bore(monkeypatch, module, function, "lambda *_, **__: None")
    assert words in levels.missing(1)
    with pytest.raises(SandboxError) as caught:
        levels.demand(1)
    assert f"confinement level 1: {words}" in str(caught.value)


def test_a_machine_without_a_kernel_feature_falls_back_and_says_why(fresh_levels, monkeypatch):
    bore(monkeypatch, "landlock", "abi", "lambda: 0")
    assert levels.best() == 0
    with pytest.raises(SandboxError, match="this kernel has no Landlock"):
        levels.demand(1)


def test_no_user_namespaces_leaves_level_1(fresh_levels, monkeypatch):
    if 1 not in LEVELS:
        pytest.skip("this machine has no level 1")
    bore(monkeypatch, "namespaces", "CLONE_NEWUSER", "64")  # a flag that unshare does not know
    assert levels.best() == 1
    assert "unshare: Invalid argument" in " ".join(levels.missing(2))


def test_each_landlock_version_governs_what_it_knows():
    names = {version: landlock.handled(version) for version in range(1, 8)}
    assert landlock.Access.REFER not in names[1][0]
    assert landlock.Access.TRUNCATE in names[3][0]
    assert landlock.Access.IOCTL_DEV not in names[4][0]
    assert [names[version][1] for version in (3, 4)] == [0, 3]
    assert [names[version][2] for version in (5, 6)] == [0, 3]
    assert int(names[7][0]) == (1 << 16) - 1


def simulate(program, number, arguments=(), machine="x86_64"):
    """Run a filter as the kernel does, on one system call."""
    words = {0: number, 4: syscalls.NUMBERS[machine].audit}
    for index, value in enumerate(arguments):
        words[16 + 8 * index] = value & 0xFFFFFFFF
        words[20 + 8 * index] = value >> 32
    at = loaded = 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        if code == seccomp.RETURN:
            return operand
        if code == seccomp.LOAD:
            loaded = words.get(operand, 0)
            continue
        holds = {
            seccomp.JUMP_EQUAL: loaded == operand,
            seccomp.JUMP_AT_LEAST: loaded >= operand,
            seccomp.JUMP_ANY_BIT: bool(loaded & operand),
        }[code]
        at += yes if holds else no


REFUSED = seccomp.FAIL | errno.EPERM
UNKNOWN = seccomp.FAIL | errno.ENOSYS


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_decides_as_it_says(machine):
    numbers = syscalls.NUMBERS[machine]

    def ask(number, *arguments, processes=1, own_pid=77, truncate=True):
        program = seccomp.assemble(machine, processes=processes, own_pid=own_pid, truncate=truncate)
        return simulate(program, number, arguments, machine)

    assert ask(63) == seccomp.ALLOW
    for number in (*syscalls.REFUSED[machine].values(), *syscalls.REFUSED_EVERYWHERE.values()):
        assert ask(number) == REFUSED
    for number in syscalls.IGNORED[machine].values():
        assert ask(number) == seccomp.FAIL
    assert ask(numbers.clone, 0x10000 | 0x100) == seccomp.ALLOW
    assert ask(numbers.clone, 17) == REFUSED
    assert ask(numbers.clone, 17, processes=2) == seccomp.ALLOW
    assert ask(numbers.clone, 17 | 0x10000000, processes=2) == REFUSED
    assert ask(numbers.execve) == REFUSED
    assert ask(numbers.execve, processes=2) == seccomp.ALLOW
    assert ask(numbers.clone3) == UNKNOWN
    assert ask(numbers.kill, 77, 9) == seccomp.ALLOW
    assert ask(numbers.kill, 78, 9) == REFUSED
    assert ask(numbers.kill, 78, 9, own_pid=None) == seccomp.ALLOW
    assert ask(numbers.prlimit64, 0, 7, 0, 5) == seccomp.ALLOW
    assert ask(numbers.prlimit64, 0, 7, 1 << 40, 0) == REFUSED
    assert ask(numbers.truncate, truncate=False) == REFUSED
    assert ask(syscalls.LAST_KNOWN + 1) == UNKNOWN
    assert ask(0x40000000 | 1) == UNKNOWN


def test_a_call_from_another_machines_table_kills():
    program = seccomp.assemble("x86_64", processes=1, own_pid=1, truncate=True)
    program[1] = (*program[1][:3], syscalls.NUMBERS["aarch64"].audit)
    assert simulate(program, 0) == seccomp.KILL


def test_the_most_specific_word_decides_what_may_be_read(tmp_path):
    for name in ("course/hidden/probes.py", "course/hidden/test.py", "course/u1/stage.py", "other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    course = tmp_path / "course"
    (course / "link").symlink_to(tmp_path / "other")
    real = os.path.realpath
    grants = Grants(
        [real(course), real(course / "hidden" / "probes.py")], [real(course / "hidden")]
    )
    readable = {"course/u1/stage.py", "course/hidden/probes.py", "course"}
    shut = {"course/hidden/test.py", "course/hidden", "other", "course/link", ""}
    assert all(grants.readable(str(tmp_path / name)) for name in readable)
    assert not any(grants.readable(str(tmp_path / name)) for name in shut)
    assert set(grants.open_paths()) == {course / "u1", course / "hidden" / "probes.py"}


def test_a_folder_with_something_hidden_inside_still_gives_its_modules(sandbox, write):
    stage = write("numpy_stage.py", "import sibling\ndef f():\n    return sibling.X")
    write("sibling.py", "X = 1")
    write("hidden/test_numpy.py", "expected = 42")
    probes = write("hidden/probes.py", "def f(stage, case):\n    return stage.f()")
    with (
        Sandbox(sandbox.level, hidden=[stage.parent / "hidden"]) as own,
        own.worker("numpy", stage, probes) as worker,
    ):
        assert worker.call("f").value == 1
        stage.write_text(
            f"def f():\n    return open({str(stage.parent / 'hidden/test_numpy.py')!r})"
        )
        with own.worker("numpy", stage) as other:
            assert call(other, "f").error.type == "PermissionError"


def test_content_that_is_installed_inside_the_package_is_hidden_and_the_rest_is_not(sandbox, write):
    inside = interpreter.package_folder() / "sandbox" / "answer.py"
    text = "def f(path):\n    return len(open(path).read())"
    stage = write("numpy_stage.py", text)
    with Sandbox(sandbox.level, hidden=[inside]) as own, own.worker("numpy", stage) as worker:
        assert call(worker, "f", str(inside)).error.type == "PermissionError"
        assert call(worker, "f", str(inside.with_name("limits.py"))).value > 100


@pytest.mark.parametrize("room", ["checks", "predictions", "scoring"])
def test_what_judges_cannot_be_imported_by_a_stage(sandbox, write, room):
    text = "def f(name):\n    return str(__import__(name).__name__)"
    stage = write("numpy_stage.py", text)
    with sandbox.worker("numpy", stage) as worker:
        answer = call(worker, "f", f"grader.{room}")
    assert answer.error.type in ("PermissionError", "ModuleNotFoundError")


def test_the_solution_may_be_read_by_its_own_worker_only(sandbox, write):
    student = write("numpy_stage.py", "def f(path):\n    return open(path).read()")
    solution = student.parent.parent / "solutions" / "u1" / "numpy_stage.py"
    solution.parent.mkdir(parents=True)
    solution.write_text("def f():\n    return 42")
    with Sandbox(sandbox.level, hidden=[solution.parent.parent]) as own:
        with own.worker("numpy", solution) as reference:
            assert call(reference, "f").value == 42
        with own.worker("numpy", student) as worker:
            assert call(worker, "f", str(solution)).error.type == "PermissionError"


def test_a_stage_that_is_a_link_to_the_solution_does_not_open_it(sandbox, write):
    solution = write("../solutions/numpy_stage.py", "def f():\n    return 42").resolve()
    student = write("note", "").with_name("numpy_stage.py")
    student.symlink_to(solution)
    with (
        Sandbox(sandbox.level, hidden=[solution.parent]) as own,
        own.worker("numpy", student) as worker,
    ):
        error = call(worker, "f").error
    assert (error.type, error.in_stage) == ("PermissionError", True)


DRIVER = """
    import sys, time
    from pathlib import Path
    from grader.sandbox.client import Sandbox
    with Sandbox() as sandbox, sandbox.worker("numpy", Path(sys.argv[1])) as worker:
        print("ready", flush=True)
        worker.call("$call", {"function": "f"})
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_driver_that_is_interrupted_or_killed_leaves_no_process(write, number, tmp_path):
    stage = write("numpy_stage.py", "import time\ndef f():\n    time.sleep(60)")
    driver = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(DRIVER), str(stage)],
        env=os.environ | {"TMPDIR": str(tmp_path)},  # a killed driver leaves its empty folder
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # a shell lets what it starts in the background ignore Ctrl-C
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    with driver:
        assert driver.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        driver.send_signal(number)
        driver.wait(10)
    assert driver.returncode != 0
    mark = f"for-{driver.pid}"
    deadline = time.monotonic() + 5

    def left():
        return [p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or ())]

    while left() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left()


def test_a_hardened_driver_cannot_be_dumped_and_still_runs_workers():
    code = textwrap.dedent("""
        import ctypes
        from grader.sandbox.client import Sandbox, harden_driver
        harden_driver()
        with Sandbox() as sandbox, sandbox.worker("numpy") as worker:
            assert worker.call("none").error.type == "LookupError"
        raise SystemExit(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
    """)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(2 not in LEVELS, reason="this machine has no level 2")
def test_level_2_stands_where_a_container_forbids_a_fresh_view_of_the_processes(
    fresh_levels, monkeypatch, write
):
    bore(
        monkeypatch,
        "namespaces",
        "_mount",
        "m.refuse_proc(m._mount)",
        """
        def refuse_proc(mount):
            def instead(source, *rest):
                if source == "proc":
                    raise PermissionError
                mount(source, *rest)
            return instead
        m.refuse_proc = refuse_proc
    """,
    )
    assert levels.missing(2) == ()
    text = """
        import os
        def own():
            return len(open("/proc/self/maps").read()) > 0
        def all():
            return os.listdir("/proc")
    """
    with Sandbox(2) as own, own.worker("numpy", write("numpy_stage.py", text)) as worker:
        assert call(worker, "own").value is True
        assert call(worker, "all").error.type == "PermissionError"


def test_a_preload_that_fails_is_told_at_once():
    with (
        Sandbox(0, preload=["no_such_module"]) as sandbox,
        pytest.raises(SandboxError, match="No module named 'no_such_module'"),
    ):
        sandbox.worker("torch")


def test_namespaces_are_left_even_if_the_worker_cannot_start(monkeypatch):
    calls = []
    monkeypatch.setattr(namespaces, "_call", lambda *a: calls.append(a[0]))
    monkeypatch.setattr(os, "posix_spawn", lambda *a, **k: (_ for _ in ()).throw(OSError("none")))
    with pytest.raises(OSError, match="none"):
        namespaces.Nest()
    assert calls == ["unshare", "setns"]
