"""The ledger of live bytes against closed forms and against MemTracker."""

import gc

import pytest
import torch
from compact.config import ModelConfig
from compact.trainer import make_trainer
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

from grader.instruments import live_bytes
from grader.instruments.live_bytes import LiveBytes, PhaseBytes

CASES = {
    "mlp": ModelConfig(widths=(64, 32, 10)),
    "mlp with dropout": ModelConfig(widths=(64, 48, 48, 10), dropout=0.1),
    "transformer": ModelConfig("transformer", width=32, layers=1),
    "transformer by hand": ModelConfig("transformer", width=32, layers=2, attention="manual"),
}


def ready(config, batch_size=32):
    trainer = make_trainer(config, batch_size=batch_size)
    stream = trainer.batches.stream()
    trainer.step(stream)
    return trainer, *trainer.transfer(trainer.fetch(stream))


def step(trainer, x, y, mark):
    loss = trainer.forward(x, y)
    mark("forward")
    trainer.backward(loss)
    mark("backward")
    del loss
    trainer.update()
    mark("optimizer")


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_the_ledger_and_mem_tracker_agree_at_every_phase_and_at_the_peak(config):
    trainer, x, y = ready(config)
    ours, theirs = {}, {}
    ledger = LiveBytes()
    ledger.track(trainer.model, trainer.optimizer, x, y)
    gc.collect()
    with ledger:
        step(trainer, x, y, lambda name: ours.update({name: ledger.live}))
    ours["peak"] = ledger.peak

    trainer, x, y = ready(config)
    tracker = MemTracker()
    tracker.track_external(trainer.model, trainer.optimizer, x, y)

    def total(kind):
        return sum(device["Total"] for device in tracker.get_tracker_snapshot(kind).values())

    with tracker:
        step(trainer, x, y, lambda name: theirs.update({name: total("current")}))
    theirs["peak"] = total("peak")
    assert ours == theirs


def test_persistent_bytes_are_those_of_the_closed_form():
    trainer, x, y = ready(ModelConfig())
    parameters = list(trainer.model.parameters())
    count = sum(p.numel() for p in parameters)
    ledger = LiveBytes()
    ledger.track(trainer.model, trainer.optimizer)
    assert ledger.live == 12 * count + 4 * len(parameters)
    trainer.backward(trainer.forward(x, y))
    with_gradients = LiveBytes()
    with_gradients.track(trainer.model, trainer.optimizer)
    assert with_gradients.live == 16 * count + 4 * len(parameters)


def test_a_phase_has_its_own_peak():
    ledger = LiveBytes()
    with ledger:
        with ledger.phase("one"):
            kept = torch.zeros(10)
            torch.zeros(100)
        with ledger.phase("two"):
            torch.zeros(5)
    assert ledger.phases == {"one": PhaseBytes(0, 440, 40), "two": PhaseBytes(40, 60, 40)}
    assert kept.shape == (10,)


def test_views_and_tied_tensors_count_once():
    ledger = LiveBytes()
    x = torch.zeros(10)
    ledger.track([x, x.view(2, 5), {"again": x}])
    with ledger:
        y = x.t()
        z = x[2:]
    assert (ledger.live, y.shape, z.shape) == (40, (10,), (8,))


def test_freed_bytes_leave_the_ledger_and_the_peak_stays():
    ledger = LiveBytes()
    with ledger:
        x = torch.zeros(50)
        view = x[:1]
        del x
        assert ledger.live == 200
        del view
    assert (ledger.live, ledger.peak) == (0, 200)


def test_the_figures_repeat_exactly():
    def table():
        trainer, x, y = ready(CASES["transformer"])
        ledger = LiveBytes()
        ledger.track(trainer.model, trainer.optimizer, x, y)
        marks = []
        with ledger:
            step(trainer, x, y, lambda name: marks.append(ledger.live))
        return marks, ledger.peak

    assert table() == table()


def test_fake_tensors_have_the_same_bytes_as_real_ones():
    def run(mode):
        ledger = LiveBytes()
        with mode, ledger:
            weight = torch.zeros(30, 40)
            out = weight @ torch.zeros(40, 5)
        return ledger.live, ledger.peak, tuple(out.shape)

    class Nothing:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

    assert run(FakeTensorMode()) == run(Nothing())


def test_it_answers_its_known_question_and_notices_a_ledger_that_never_frees(monkeypatch):
    assert live_bytes.answers_known_question()
    monkeypatch.setattr(LiveBytes, "_drop", lambda self, key, size: None)
    assert not live_bytes.answers_known_question()
