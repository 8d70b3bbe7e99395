"""A fresh interpreter for each worker speaks the same protocol as a fork."""

from __future__ import annotations

import numpy as np
import pytest

from grader.sandbox.client import Limits, Sandbox

from .conftest import LEVELS, call


@pytest.fixture(scope="module", params=LEVELS, ids=lambda level: f"level{level}")
def spawning(request, sandboxes):
    with Sandbox(request.param, start="spawn") as sandbox:
        yield sandboxes.watch(sandbox)


def test_values_exceptions_and_endings_are_told_alike(spawning, run):
    text = """
        import os
        import numpy as np
        print("hello")
        def f(x):
            return x + 1
        def g():
            raise ValueError("no")
        def h():
            os._exit(3)
    """
    worker = run(spawning, text)
    answer = call(worker, "f", np.arange(3))
    assert (answer.value.tolist(), answer.output) == ([1, 2, 3], "hello\n")
    assert (call(worker, "g").error.type, call(worker, "g").error.stage_line) == ("ValueError", 8)
    assert call(worker, "h").stop == "ended itself with status 3 before it answered"


def test_start_up_is_not_charged_and_limits_hold(spawning, run):
    worker = run(spawning, "def f():\n    while True:\n        pass", limits=Limits(wall=0.3))
    assert call(worker, "f").stop == "stopped after 0.3 s: the check's time limit"


def test_confinement_is_the_same(spawning, run, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("42")
    worker = run(spawning, "def f(path):\n    return open(path).read()")
    assert call(worker, "f", str(secret)).error.type == "PermissionError"


def test_torch_is_out_of_reach_of_the_numpy_stage(spawning, run):
    error = call(run(spawning, "import torch"), "f").error
    assert error.message == "the NumPy stage may not import torch"


def test_torch_trains_in_a_fresh_interpreter(run):
    text = """
        import torch
        def f(threads):
            torch.set_num_threads(threads)
            x = torch.ones(1 << 16, requires_grad=True)
            x.sum().backward()
            return x.grad.sum()
    """
    with Sandbox(LEVELS[-1], start="spawn") as sandbox:
        assert call(run(sandbox, text, "torch"), "f", 2).value == 1 << 16
