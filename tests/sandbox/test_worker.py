"""What a worker answers: values, exceptions with their place, and odd endings, all as data."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from grader.errors import SandboxError
from grader.sandbox.client import Limits, Sandbox
from grader.sandbox.plain import NotPlainError

from .conftest import LEVELS, call


@pytest.fixture
def probes(write):
    def write_probes(text):
        return write("hidden/probes.py", text)

    return write_probes


def test_a_stage_function_is_called_with_plain_data_and_returns_it(sandbox, run):
    worker = run(sandbox, "def double(x, by=2):\n    print('hello')\n    return {'x': x * by}")
    answer = worker.call(
        "$call", {"function": "double", "args": [np.arange(3)], "kwargs": {"by": 3}}
    )
    assert answer.status == "ok"
    assert answer.value["x"].tolist() == [0, 3, 6]
    assert answer.output == "hello\n"
    assert 0 < answer.wall < 5


def test_a_probe_gets_the_stage_and_the_case(sandbox, run, probes):
    path = probes("def total(stage, case):\n    return [stage.NAME, sum(case['x'])]")
    assert run(sandbox, "NAME = 'mine'", probes=path).call("total", {"x": [1, 2]}).value == [
        "mine",
        3,
    ]


def test_a_worker_without_a_stage_gives_the_probe_none(best, probes):
    path = probes("def none(stage, case):\n    return stage is None")
    with best.worker("numpy", None, path) as worker:
        assert worker.call("none").value is True


def test_state_stays_between_calls_and_not_between_workers(best, run):
    text = "seen = []\ndef add(x):\n    seen.append(x)\n    return seen"
    first, second = run(best, text), run(best, text)
    call(first, "add", 1)
    assert call(first, "add", 2).value == [1, 2]
    assert call(second, "add", 3).value == [3]


def test_an_exception_is_told_with_the_last_line_of_the_students_file(sandbox, run):
    answer = call(
        run(sandbox, "import json\ndef load(x):\n    y = x\n    return json.loads(y)"), "load", "{"
    )
    assert answer.status == "raised"
    assert (answer.error.type, answer.error.in_stage) == ("JSONDecodeError", True)
    assert (answer.error.stage_file, answer.error.stage_line) == ("numpy_stage.py", 4)
    assert answer.error.source == "return json.loads(y)"


def test_not_implemented_is_seen_by_its_type(best, run):
    answer = call(run(best, "def f():\n    raise NotImplementedError('8.4.a')"), "f")
    assert (answer.error.type, answer.error.message) == ("NotImplementedError", "8.4.a")


def test_an_exception_of_the_probe_alone_is_not_laid_at_the_students_door(best, run, probes):
    path = probes("def wrong(stage, case):\n    return case['absent']")
    answer = run(best, "", probes=path).call("wrong")
    assert (answer.error.type, answer.error.in_stage) == ("KeyError", False)
    assert answer.error.stage_line is None


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("def f(:\n    pass", "SyntaxError", 1),
        ("x = 1\n\nimport no_such_module", "ModuleNotFoundError", 3),
        ("1 / 0", "ZeroDivisionError", 1),
        ("import torch", "ImportError", 1),
        ("raise SystemExit(0)", "SystemExit", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("x = 1\ny = 'caf\xe9'", "SyntaxError", None),
    ],
)
def test_a_stage_that_cannot_be_imported_says_why_and_where(best, write, text, kind, line):
    stage = write("numpy_stage.py", "")
    stage.write_bytes(text.encode("latin-1"))
    with best.worker("numpy", stage) as worker:
        error = call(worker, "f").error
    assert (error.type, error.in_stage, error.stage_file) == (kind, True, "numpy_stage.py")
    assert line is None or error.stage_line == line


def test_the_numpy_stage_is_told_that_it_may_not_import_torch(best, run):
    error = call(run(best, "import torch.nn"), "f").error
    assert error.message == "the NumPy stage may not import torch"


def test_a_missing_file_a_missing_function_and_wrong_arguments_are_each_named(best, run, tmp_path):
    with best.worker("numpy", tmp_path / "numpy_stage.py") as worker:
        assert call(worker, "f").error.message == "numpy_stage.py is missing"
    worker = run(best, "LIMIT = 3\n\ndef f(x):\n    return x")
    assert call(worker, "g").error.message == "numpy_stage.py has no function `g`"
    assert call(worker, "LIMIT").error.message == "`LIMIT` is an int, not a function"
    error = call(worker, "f", 1, 2).error
    assert (error.type, error.stage_line, error.in_stage) == ("TypeError", 3, True)


def test_a_function_the_probe_misses_is_named_as_missing_from_the_stage(best, run, probes):
    path = probes("def use(stage, case):\n    return stage.absent()")
    error = run(best, "", probes=path).call("use").error
    assert (error.type, error.in_stage) == ("AttributeError", True)
    assert error.message == "numpy_stage.py has no `absent`"


def test_a_stage_imports_its_sibling_and_byte_code_beside_it_is_ignored(best, run, write):
    import py_compile

    other = write("other.py", "ANSWER = 'from byte code'\n")
    py_compile.compile(str(other), doraise=True)
    write("other.py", "ANSWER = 'from the source'\n")
    worker = run(best, "import other\ndef f():\n    return other.ANSWER")
    assert call(worker, "f").value == "from the source"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("return {'loss': {1, 2}}", "result['loss'] is a set, which is not plain data"),
        ("return [object()]", "result[0] is an object, which is not plain data"),
        ("return np.zeros(40 << 20)", "result makes the answer larger than 256 MiB"),
    ],
)
def test_a_value_that_is_not_plain_is_named_and_the_worker_lives_on(best, run, text, words):
    worker = run(best, f"import numpy as np\ndef f():\n    {text}\ndef g():\n    return 1")
    answer = call(worker, "f")
    assert (answer.status, answer.stop) == ("not_plain", words)
    assert call(worker, "g").value == 1


def test_a_deep_recursion_is_an_exception_like_another(sandbox, run):
    answer = call(run(sandbox, "def f(n):\n    return f(n + 1)"), "f", 0)
    assert (answer.error.type, answer.error.stage_line) == ("RecursionError", 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("os._exit(0)", "ended itself with status 0 before it answered"),
        ("os._exit(7)", "ended itself with status 7 before it answered"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "crashed: SIGKILL"),
        ("os.abort()", "crashed: SIGABRT"),
        ("ctypes.string_at(0)", "crashed: SIGSEGV"),
        ("os.close(4); time.sleep(30)", "closed its answer pipe unanswered"),
        ("os.closerange(0, 256); return 1", "ended itself with status 70 before it answered"),
        (
            "os.write(4, b'PASS ' * 10); return 1",
            "wrote bytes that are no answer",
        ),
    ],
)
@pytest.mark.parametrize("where", ["at import", "in the function"])
def test_a_worker_that_ends_without_an_answer_says_how(sandbox, run, text, words, where):
    if where == "at import":
        text = text.replace("return 1", "pass") + "\ndef f():\n    return 1"
    else:
        text = f"def f():\n    {text}"
    text = f"import ctypes, os, signal, time\n{text}"
    worker = run(sandbox, text)
    answer = call(worker, "f")
    assert (answer.status, answer.value) == ("ended", None)
    assert answer.stop.startswith(words)
    assert words in call(worker, "f").stop


def test_a_forged_answer_is_no_more_than_an_answer(best, run):
    # A student who finds the pipe may write a whole frame; without the call's number it is refused.
    text = textwrap.dedent("""
        import os, json, struct
        def f():
            header = json.dumps({"v": {"d": [["id", 1], ["status", "ok"], ["value", 1]]}}).encode()
            os.write(4, struct.pack("<4sIQ", b"TEv1", len(header), 0) + header)
            os._exit(0)
    """)
    answer = call(run(best, text), "f")
    assert (answer.status, answer.value) == ("ended", None)


def test_bytes_forged_to_every_descriptor_are_never_a_value(sandbox, run):
    text = textwrap.dedent("""
        import os
        def f():
            for fd in range(64):
                try:
                    os.write(fd, b'{"status": "ok", "passed": true, "score": 100}')
                except OSError:
                    pass
            os._exit(0)
    """)
    answer = call(run(sandbox, text), "f")
    assert (answer.status, answer.value) == ("ended", None)
    assert answer.output.count("passed") == 2


def test_output_is_kept_in_order_per_call_and_without_control_characters(best, run):
    worker = run(best, "import sys\ndef f(x):\n    print(x)\n    print('err', file=sys.stderr)")
    assert call(worker, "f", "a\x1b[31mb").output == "a\N{REPLACEMENT CHARACTER}[31mb\nerr\n"
    assert call(worker, "f", "second").output == "second\nerr\n"


def test_what_was_printed_before_a_crash_is_kept(best, run):
    worker = run(best, "import os\nprint('almost')\nos._exit(1)")
    assert call(worker, "f").output == "almost\n"


def test_random_generators_differ_between_workers_unless_a_seed_is_given(best, write):
    stage = write(
        "numpy_stage.py",
        """
        import random
        import numpy as np
        def f():
            return [random.random(), float(np.random.rand())]
        """,
    )

    def draw(seed):
        with best.worker("numpy", stage, seed=seed) as worker:
            return call(worker, "f").value

    assert draw(None) != draw(None)
    assert draw(5) == draw(5)


def test_probes_are_loaded_once_and_other_ones_in_their_place(write):
    text = "import os\nMARK = os.urandom(8).hex()\nfrom .part import NAME\n"
    text += "def seen(stage, case):\n    return [MARK, NAME]\n"
    for name in ("early", "late"):
        write(f"{name}/part.py", f"NAME = {name!r}\n")
    early, late = (write(f"{name}/__init__.py", text).parent for name in ("early", "late"))
    stage = write("numpy_stage.py", "")

    def seen(place):
        with own.worker("numpy", stage, place) as worker:
            return worker.call("seen").value

    with Sandbox(LEVELS[-1], probes=early) as own:
        found = [seen(place) for place in (early, early, late, early)]
    assert [name for _, name in found] == ["early", "early", "late", "early"]
    assert found[0] == found[1] == found[3]


def test_probes_that_cannot_be_loaded_are_told_by_the_worker(write):
    broken = write("broken.py", "import no_such_module\n")
    stage = write("numpy_stage.py", "")
    with (
        Sandbox(LEVELS[-1], probes=broken) as own,
        own.worker("numpy", stage, broken) as worker,
        pytest.raises(SandboxError, match="no_such_module"),
    ):
        worker.call("seen")


def test_an_instrument_that_a_probe_imports_late_is_there_before_the_stage(best, write, probes):
    path = probes("""
        INSTRUMENTS = ()
        def measure(stage, case):
            from grader.instruments.settings import changed_by
            return changed_by(stage.measure)
    """)
    fake = """
        import sys, types
        fake = types.ModuleType("grader.instruments.settings")
        fake.changed_by = lambda fn: (None, [])
        sys.modules[fake.__name__] = fake
        def measure():
            return 1
    """
    with best.worker("numpy", write("numpy_stage.py", fake), path) as worker:
        trials = worker.call("measure").trials
    assert trials == {"settings, which was replaced,": False}


def test_the_courses_own_stage_is_tried_once_before(best, write, probes):
    path = probes("""
        import sys, types
        instrument = types.ModuleType("grader.instruments.ruler")
        ASKED = []
        instrument.answers_known_question = lambda: bool(ASKED.append(1)) is False
        sys.modules["grader.instruments.ruler"] = instrument
        INSTRUMENTS = ("ruler",)
        def asked(stage, case):
            return len(ASKED)
    """)
    stage = write("numpy_stage.py", "")
    for trusted, counts in ((True, [1, 1]), (False, [0, 1])):
        with best.worker("numpy", stage, path, trusted=trusted) as worker:
            answers = [worker.call("asked") for _ in counts]
        assert [answer.value for answer in answers] == counts
        assert [answer.trials for answer in answers] == [{"ruler": True}] * 2


def test_instruments_are_tried_after_each_call(best, write, probes):
    # The instrument is stood in for by a probe module's own question, planted before the import.
    path = probes("""
        import sys, types
        instrument = types.ModuleType("grader.instruments.ruler")
        instrument.length = lambda: 3
        instrument.answers_known_question = lambda: instrument.length() == 3
        sys.modules["grader.instruments.ruler"] = instrument
        INSTRUMENTS = ("ruler",)
        def measure(stage, case):
            return stage.measure()
    """)
    honest = write("numpy_stage.py", "def measure():\n    return 1")
    with best.worker("numpy", honest, path) as worker:
        assert worker.call("measure").trials == {"ruler": True}
    tampering = write(
        "other/numpy_stage.py",
        "import sys\nsys.modules['grader.instruments.ruler'].length = lambda: 2\n"
        "def measure():\n    return 1",
    )
    with best.worker("numpy", tampering, path) as worker:
        answer = worker.call("measure")
        lost = {"ruler": False, "ruler.length, which was replaced,": False}
        assert (answer.value, answer.trials) == (1, lost)


def test_a_case_that_is_not_plain_is_the_callers_error(best, run):
    with pytest.raises(NotPlainError) as caught:
        call(run(best, "def f(x):\n    return x"), "f", object())
    assert str(caught.value) == "case['args'][0] is an object, which is not plain data"


def test_large_arrays_pass_both_ways(best, run):
    big = np.random.default_rng(0).standard_normal(2 << 20)
    answer = call(run(best, "def f(x):\n    return -x"), "f", big)
    assert answer.value.tobytes() == (-big).tobytes()


def test_a_scratch_folder_is_shared_by_the_workers_that_are_given_it(sandbox, run, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = """
        import os, pathlib, shutil
        def save(text):
            pathlib.Path("a").write_text(text)
            shutil.copy("a", "b")
            os.replace("b", pathlib.Path(os.environ["TMPDIR"]) / "c")
        def load():
            return pathlib.Path("c").read_text()
    """
    assert call(run(sandbox, text, scratch=scratch), "save", "state").status == "ok"
    assert call(run(sandbox, text, scratch=scratch), "load").value == "state"
    assert (scratch / "c").read_text() == "state"


def test_a_folder_of_its_own_is_removed_with_its_worker(best, run):
    with run(best, "def f():\n    open('x', 'w').close()") as worker:
        call(worker, "f")
        assert (worker.scratch / "x").exists()
    assert not worker.scratch.exists()


def test_two_workers_can_be_alive_and_asked_in_turn(sandbox, run):
    student, reference = (
        run(sandbox, "def f():\n    return 1"),
        run(sandbox, "def f():\n    return 1"),
    )
    for _ in range(3):
        assert call(student, "f").value == call(reference, "f").value == 1


def test_limits_that_cannot_be_kept_are_refused():
    from grader.errors import SandboxError

    with pytest.raises(SandboxError, match="`wall` must be positive"):
        Limits(wall=0)


def test_all_levels_were_tried_on_this_machine():
    assert LEVELS[0] == 0
