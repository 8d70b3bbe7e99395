"""Confined workers train as an unconfined process does, to the byte."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from grader.sandbox.client import Limits, Sandbox

from .conftest import LEVELS, call

TRAIN = """
import torch

def train(threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = torch.randn(512, 64), torch.randint(10, (512,))
    for _ in range(5):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    total = torch.randn(1 << 16).sum()
    return torch.cat([p.detach().flatten() for p in model.parameters()] + [total[None]])
"""


@pytest.fixture(scope="module")
def unconfined():
    """The weights of a plain process, for one and for two threads."""
    show = "import sys\nfor n in (1, 2):\n    sys.stdout.buffer.write(train(n).numpy().tobytes())"
    done = subprocess.run([sys.executable, "-c", TRAIN + show], stdout=subprocess.PIPE, check=True)
    half = len(done.stdout) // 2
    return {1: done.stdout[:half], 2: done.stdout[half:]}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "compact"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "model.py").write_text("import torch\nWIDTH = 64\n")
    return folder


@pytest.fixture(scope="module", params=LEVELS, ids=lambda level: f"level{level}")
def torch_sandbox(request, package, sandboxes):
    with Sandbox(
        request.param, packages={"compact": package}, preload=["compact.model"]
    ) as sandbox:
        sandboxes.watch(sandbox).start_early("torch")
        yield sandbox


@pytest.mark.parametrize("threads", [1, 2])
def test_training_gives_the_same_bytes_as_without_a_sandbox(
    torch_sandbox, run, unconfined, threads
):
    answer = call(run(torch_sandbox, TRAIN, "torch"), "train", threads)
    assert answer.value.tobytes() == unconfined[threads]


def test_a_torch_worker_starts_with_one_thread_and_may_take_more(torch_sandbox, run):
    text = """
        import threading, torch
        def f():
            before = torch.get_num_threads()
            torch.set_num_threads(2)
            torch.randn(1 << 20).sum()
            thread = threading.Thread(target=torch.randn(500, 500).inverse)
            thread.start()
            thread.join()
            return [before, torch.get_num_threads()]
    """
    assert call(run(torch_sandbox, text, "torch"), "f").value == [1, 2]


def test_tensors_arrive_as_arrays_and_others_are_named(torch_sandbox, run):
    text = """
        import torch
        class Odd(torch.Tensor):
            pass
        def plain():
            half = torch.tensor([1.0, 2.0 ** -100, 3.0e38], dtype=torch.bfloat16)
            return [torch.eye(2, requires_grad=True).T, torch.nn.Parameter(torch.ones(1)), half,
                    torch.tensor(3), torch.tensor([1 + 2j]).conj(), torch.Size([2, 3])]
        def odd(name):
            return {"x": {"subclass": Odd(), "sparse": torch.eye(2).to_sparse(),
                          "meta": torch.ones(2, device="meta"), "dtype": torch.float32,
                          "float8": torch.ones(2).to(torch.float8_e5m2)}[name]}
    """
    worker = run(torch_sandbox, text, "torch")
    eye, parameter, half, three, conjugate, size = call(worker, "plain").value
    assert (eye.tolist(), eye.dtype.name) == ([[1.0, 0.0], [0.0, 1.0]], "float32")
    assert (parameter.tolist(), three.shape, three.item(), size) == ([1.0], (), 3, [2, 3])
    assert (half.dtype.name, half[1]) == ("float32", 2.0**-100)
    assert conjugate.tolist() == [1 - 2j]
    for name, words in {
        "subclass": "result['x'] is an Odd, which is not plain data",
        "sparse": "result['x'] is a tensor on cpu with layout torch.sparse_coo; return an",
        "meta": "result['x'] is a tensor on meta",
        "dtype": "result['x'] is a dtype, which is not plain data",
        "float8": "result['x'] is a tensor of torch.float8_e5m2, which has no plain form",
    }.items():
        answer = call(worker, "odd", name)
        assert answer.status == "not_plain"
        assert answer.stop.startswith(words)


def test_a_checkpoint_saved_by_one_worker_is_loaded_by_another(torch_sandbox, run, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = """
        import torch
        def save():
            torch.save({"w": torch.arange(3.0)}, "state.pt")
        def load():
            return torch.load("state.pt")["w"]
    """
    assert call(run(torch_sandbox, text, "torch", scratch=scratch), "save").status == "ok"
    value = call(run(torch_sandbox, text, "torch", scratch=scratch), "load").value
    assert value.tolist() == [0.0, 1.0, 2.0]


def test_a_torch_stage_uses_course_packages_and_its_numpy_sibling(torch_sandbox, run, write):
    write("numpy_stage.py", "def half(x):\n    return x / 2")
    text = """
        import compact.model
        import numpy_stage
        def f():
            return numpy_stage.half(compact.model.WIDTH)
    """
    assert call(run(torch_sandbox, text, "torch"), "f").value == 32.0


def test_tensors_without_end_are_stopped(torch_sandbox, run):
    text = """
        import torch
        held = []
        def f():
            while True:
                held.append(torch.ones(1 << 22))
    """
    answer = call(run(torch_sandbox, text, "torch", limits=Limits(memory=300 << 20)), "f")
    assert answer.stop == "stopped: used more than 300 MiB of memory"


def test_one_tensor_too_large_is_stopped_by_the_same_sentence(torch_sandbox, run):
    text = "import torch\ndef f():\n    return torch.ones(1 << 40)"
    answer = call(run(torch_sandbox, text, "torch"), "f")
    assert answer.stop == "stopped: used more than 2 GiB of memory"
    assert answer.error.stage_line == 3


def test_no_random_state_is_inherited(torch_sandbox, run):
    text = "import torch\ndef f():\n    return torch.randn(4)"
    first, second = (call(run(torch_sandbox, text, "torch"), "f").value for _ in range(2))
    assert first.tolist() != second.tolist()


def test_the_profiler_and_eager_compilation_work_inside(torch_sandbox, run):
    text = """
        import torch
        from torch.profiler import ProfilerActivity, profile
        def f():
            with profile(activities=[ProfilerActivity.CPU]) as seen:
                torch.compile(lambda x: x * 2 + 1, backend="eager")(torch.ones(3))
            return [event.key for event in seen.key_averages()]
    """
    answer = call(run(torch_sandbox, text, "torch"), "f")
    assert answer.status == "ok", answer
    assert "aten::mul" in answer.value


def test_a_driver_that_uses_torch_workers_imports_no_torch():
    code = textwrap.dedent("""
        import sys
        from grader.sandbox.client import Sandbox
        with Sandbox() as sandbox, sandbox.worker("numpy") as worker:
            worker.call("none")
        sys.exit("torch" in sys.modules)
    """)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
