"""Every answer in the key of the self-test of 8.7 comes out of an experiment that runs here."""

from __future__ import annotations

import copy
import io
import random
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from grader.instruments.crash_states import Moment, kill_states, power_loss_states

KEY = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "solutions/u87_resume/selftest.toml").read_text()
)
QUESTIONS = {question["id"]: question for question in KEY["question"]}


def loads(value: Any) -> bool:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    try:
        torch.load(buffer, weights_only=True)
    except Exception:
        return False
    return True


def q1(stage: ModuleType) -> str:
    values = {
        "a torch.Generator's state": torch.Generator().get_state(),
        "random.getstate()": random.getstate(),
        "np.random.get_state()": np.random.get_state(),
        "the set": {1, 2},
        "the defaultdict": defaultdict(list),
    }
    return " and ".join(name for name, value in values.items() if not loads(value))


def q2(stage: ModuleType) -> str:
    same = {}
    for draw in (torch.randn, torch.rand):
        torch.manual_seed(0)
        whole = draw(16)
        torch.manual_seed(0)
        same[draw.__name__] = torch.equal(whole, torch.cat([draw(8), draw(8)]))
    return "rand yes, randn no" if same == {"randn": False, "rand": True} else str(same)


def q3(stage: ModuleType) -> str:
    generator = torch.Generator().manual_seed(0)
    x, w = (
        torch.randn(257, 300, generator=generator),
        torch.randn(300, 61, generator=generator),
    )
    same = [torch.equal((x @ w)[i : i + 1], x[i : i + 1] @ w) for i in range(20)]
    return "always" if all(same) else "not in general"


def q4(stage: ModuleType) -> float:
    layer = nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(2.0)
    best = layer.state_dict().copy()
    layer.weight.data.fill_(5.0)
    return best["weight"].item()


def scale(counter: bool) -> float:
    def make() -> tuple[Any, ...]:
        p = nn.Parameter(torch.ones(1))
        scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=4)
        return p, torch.optim.SGD([p], 0.1), scaler

    def go(p: Any, optimizer: Any, scaler: Any) -> None:
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(p.sum()).backward()
            scaler.step(optimizer)
            scaler.update()

    first, second = make(), make()
    go(*first)
    state = first[2].state_dict()
    second[2].load_state_dict(state if counter else {**state, "_growth_tracker": 0})
    go(*second)
    return float(second[2].get_scale())


def q7(stage: ModuleType) -> int:
    def make() -> nn.ModuleDict:
        table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        head.weight = table.weight
        return nn.ModuleDict({"table": table, "head": head})

    model = make()
    assert len(list(model.parameters())) == 1
    state = {name: value.clone() for name, value in make().state_dict().items()}
    model.load_state_dict(state, assign=True)
    return len(list(model.parameters()))


def q8(stage: ModuleType) -> int:
    def make() -> nn.Module:
        return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = torch.compile(make(), backend="eager").state_dict()
    return 4 - len(make().load_state_dict(state, strict=False).missing_keys)


def q9(stage: ModuleType) -> str:
    def moves(**options: Any) -> bool:
        before = torch.get_rng_state()
        iter(torch.utils.data.DataLoader([1, 2, 3], shuffle=False, **options))
        return not torch.equal(before, torch.get_rng_state())

    assert not moves(generator=torch.Generator())
    return "yes, unless it is given a generator" if moves() else "no, nothing is shuffled"


OLD, NEW = b"old", b"newer"
START = Moment("start", {"f": 1}, {1: OLD})
WRITTEN = Moment("write", {"f": 1, "t": 2}, {1: OLD, 2: NEW})
MOVED = Moment("rename", {"f": 2}, {2: NEW})


def q10(stage: ModuleType) -> str:
    safe = Moment("fsync", WRITTEN.names, WRITTEN.files, (2,))
    removed = Moment("unlink", {"t": 2}, {2: NEW})
    killed = {
        crash.folder.get("f") for crash in kill_states([START, WRITTEN, safe, removed, MOVED])
    }
    assert killed == {OLD, NEW, None}
    return "the old content, the new content, or nothing"


def q11(stage: ModuleType) -> str:
    synced = Moment("fsync", MOVED.names, MOVED.files, ("",))
    states = power_loss_states([START, WRITTEN, MOVED, synced])
    lost = {crash.folder["f"] for crash in states if crash.after == 3}
    assert lost == {NEW, NEW[:2], b"", bytes(len(NEW))}
    return "the new content, a part of it, or nothing of it"


def q12(stage: ModuleType) -> str:
    buffer, ones = io.BytesIO(), torch.ones(100)
    torch.save({"w": ones}, buffer)
    data = bytearray(buffer.getvalue())
    data[data.find(ones.numpy().tobytes()) + 3] ^= 1
    loaded = torch.load(io.BytesIO(bytes(data)), weights_only=True)["w"]
    assert int((loaded != 1).sum()) == 1
    return "it returns a changed tensor"


def q13(stage: ModuleType) -> str:
    buffer = io.BytesIO()
    torch.save([1], buffer)
    torch.save([2], buffer)
    buffer.seek(0)
    found = []
    for _ in range(2):
        try:
            found.append(torch.load(buffer, weights_only=True))
        except Exception:
            found.append("error")
    assert found != [[1], [2]]
    return "not both objects in order"


def q14(stage: ModuleType) -> str:
    state = np.random.default_rng(0).bit_generator.state
    count = len(stage.rest_of_epoch(state, 40, 6, 0)["batches"])
    epoch, position = divmod(9, count)
    return f"position {position} of epoch {epoch}"


def q15(stage: ModuleType) -> str:
    epochs = []
    for _ in range(2):
        torch.manual_seed(0)
        epochs.append(torch.rand(8))
    return "they are the same" if torch.equal(*epochs) else "they are others"


EXPERIMENTS: dict[str, Callable[[ModuleType], Any]] = {
    "q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": lambda _: scale(False),
    "q6": lambda _: scale(True), "q7": q7, "q8": q8, "q9": q9, "q10": q10, "q11": q11,
    "q12": q12, "q13": q13, "q14": q14, "q15": q15,
}  # fmt: skip


def test_each_question_has_an_experiment() -> None:
    assert EXPERIMENTS.keys() == QUESTIONS.keys()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_experiment_gives_the_answer(name: str, stage: ModuleType) -> None:
    rng = copy.deepcopy(torch.get_rng_state())
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert EXPERIMENTS[name](stage) == QUESTIONS[name]["answer"]
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(rng)
