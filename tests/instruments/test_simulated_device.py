"""The simulated device: exact digits, hand-made timelines, and the table of sync placements."""

import pytest
import torch
from compact.config import ModelConfig
from compact.trainer import PHASES, make_trainer

from grader.instruments import simulated_device
from grader.instruments.phases import PhaseTimer
from grader.instruments.simulated_device import Rates, SimulatedDevice
from grader.instruments.simulated_step import SimulatedTrainer, phase_times
from grader.instruments.stamp import Stamp

SIMPLE = Rates(launch=5, shortest=100, flops=10**9, memory=10**9, link=10**9, sync=1)


def on_device(device, size=4):
    return device.to_device(torch.ones(size), pinned=True, non_blocking=True)


def test_the_host_runs_ahead_until_it_waits():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        for _ in range(3):
            x = x + 1
        assert device.host == 4 * 5
        assert device.free_at == 5 + 4 * 100
        device.synchronize()
    assert device.now() == 405 + 1
    assert torch.equal(x, torch.full((4,), 4.0))


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.sum().item(),
        lambda x: bool(x.any()),
        lambda x: x[x > 0],
        lambda x: x.nonzero(),
        lambda x: x.tolist(),
        lambda x: x.cpu(),
        lambda x: x.numpy(),
        repr,
        lambda x: torch.equal(x, x),
        lambda x: x.masked_select(x > 0),
        lambda x: x.unique(),
    ],
)
def test_reading_a_value_waits_for_the_device(read):
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        for _ in range(50):
            x = x * 1
        queued = device.free_at
        read(x)
    assert device.host > queued
    assert len(device.waits) == 1


def test_work_on_the_host_is_free_and_never_waits():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = torch.ones(4) + 1
        x.sum().item()
        x[x > 1].tolist()
    assert (device.host, device.launches, device.waits) == (0, 0, [])


def test_what_is_computed_from_a_device_tensor_is_on_the_device():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        y = torch.ones(4)
        z = x + y
        view = z[1:]
        assert [device.holds(t) for t in (x, y, z, view)] == [True, False, True, True]
        assert not device.holds(z.cpu())


def test_views_launch_nothing():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        before = device.launches
        x.reshape(2, 2).t()[0].detach().unsqueeze(0).expand(3, 2)
        assert device.launches == before


def test_in_place_work_is_launched():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        before = device.launches
        x.add_(1).mul_(2)
        assert device.launches == before + 2


def test_an_operator_takes_its_flops_or_its_bytes_whichever_is_longer():
    def product(rates):
        device = SimulatedDevice(rates)
        with device:
            a = device.to_device(torch.ones(20, 30), pinned=True, non_blocking=True)
            b = device.to_device(torch.ones(30, 40), pinned=True, non_blocking=True)
            device.synchronize()
            begin = device.host + rates.launch
            a @ b
        return device.free_at - begin

    flops, moved = 2 * 20 * 30 * 40, 4 * (20 * 30 + 30 * 40 + 20 * 40)
    arithmetic = Rates(launch=1, shortest=0, flops=7, memory=10**12, link=10**12)
    traffic = Rates(launch=1, shortest=0, flops=10**12, memory=3, link=10**12)
    assert product(arithmetic) == -(-flops * 1000 // 7)
    assert product(traffic) == -(-moved * 1000 // 3)


def test_a_pageable_copy_pays_for_the_work_before_it_and_a_pinned_one_does_not():
    def host_time(**how):
        device = SimulatedDevice(SIMPLE)
        with device:
            x = on_device(device)
            for _ in range(9):
                x = x + 1
            before = device.host
            device.to_device(torch.ones(4), **how)
        return device.host - before

    assert host_time(pinned=True, non_blocking=True) == 5
    assert host_time() == host_time(pinned=True) == host_time(non_blocking=True) > 900


def test_events_measure_the_device_and_not_the_host():
    device = SimulatedDevice(SIMPLE)
    with device:
        x = on_device(device)
        begin, end = device.event(), device.event()
        begin.record()
        x = x + 1
        x = x + 1
        end.record()
        with pytest.raises(RuntimeError, match="synchronize first"):
            begin.elapsed_time(end)
        end.synchronize()
        assert begin.elapsed_time(end) == 200 / 1e6
    with pytest.raises(RuntimeError, match="not recorded"):
        device.event().synchronize()


def a_step_on_the_device(config=None, **how):
    trainer = SimulatedTrainer(make_trainer(config, batch_size=64), SimulatedDevice(), **how)
    stream = trainer.batches.stream()
    phase_times(trainer, stream, PHASES)
    return trainer, stream


def test_the_same_step_costs_the_same_digits_every_time():
    def table():
        trainer, stream = a_step_on_the_device()
        return [phase_times(trainer, stream, sync) for sync in ((), PHASES, ("forward",))]

    assert table() == table()


@pytest.mark.parametrize("config", [ModelConfig(), ModelConfig("transformer", layers=1, width=32)])
def test_moving_one_sync_moves_the_time_of_a_whole_phase(config):
    trainer, stream = a_step_on_the_device(config)
    honest = phase_times(trainer, stream, PHASES)
    end = phase_times(trainer, stream, ["optimizer"])
    middle = phase_times(trainer, stream, ["forward"])
    nowhere = phase_times(trainer, stream)
    read = phase_times(trainer, stream, item=True)
    after = phase_times(trainer, stream, PHASES)

    work = honest["forward"] + honest["backward"]
    assert honest["backward"] == max(honest.values())
    assert end["optimizer"] > 0.9 * work
    assert end["forward"] < 0.1 * honest["forward"]
    assert middle["forward"] > 0.9 * honest["forward"]
    assert nowhere["forward"] < 0.1 * honest["forward"]
    assert read["transfer"] > 0.9 * honest["backward"]
    assert read["item"] > 0.75 * work
    assert after == honest


def test_without_a_sync_the_next_steps_copy_pays_for_the_whole_step():
    trainer, stream = a_step_on_the_device()
    honest = phase_times(trainer, stream, PHASES)
    phase_times(trainer, stream)
    naive = phase_times(trainer, stream)
    assert max(naive, key=naive.get) == "transfer"
    assert naive["transfer"] > 0.9 * (honest["forward"] + honest["backward"])


def test_pinned_copies_hide_the_work_until_something_waits():
    trainer, stream = a_step_on_the_device(pinned=True)
    phase_times(trainer, stream)
    assert phase_times(trainer, stream)["transfer"] == 2 * Rates().launch


def test_the_optimizers_own_step_counters_do_not_wait():
    trainer, stream = a_step_on_the_device()
    before = len(trainer.device.waits)
    phase_times(trainer, stream)
    assert [wait.name for wait in trainer.device.waits[before:]] == ["copy", "copy"]


def test_training_on_the_device_gives_the_very_weights_of_training_without_it():
    def weights(wrap):
        trainer = make_trainer(ModelConfig(dropout=0.1), batch_size=32)
        stream = trainer.batches.stream()
        if wrap:
            wrapped = SimulatedTrainer(trainer, SimulatedDevice())
            for _ in range(3):
                phase_times(wrapped, stream)
        else:
            for _ in range(3):
                trainer.step(stream)
        return [p.detach().clone() for p in trainer.model.parameters()]

    assert all(map(torch.equal, weights(True), weights(False)))


def test_a_phase_timer_can_read_the_simulated_clock():
    trainer, stream = a_step_on_the_device()
    device = trainer.device
    timer = PhaseTimer(synchronize=device.synchronize, stamp=lambda: Stamp(device.now(), 0, 0))
    with device:
        timer.begin()
        batch = trainer.fetch(stream)
        timer.mark("data_wait")
        x, y = trainer.transfer(batch)
        timer.mark("transfer")
        loss = trainer.forward(x, y)
        timer.mark("forward")
        trainer.backward(loss)
        timer.mark("backward")
        trainer.update()
        timer.mark("optimizer")
    ((spans,),) = timer.record().blocks
    honest = phase_times(trainer, stream, PHASES)
    assert [span[0] for span in spans] == [honest[phase] for phase in PHASES]


def test_it_answers_its_known_question_and_notices_a_free_ride(monkeypatch):
    assert simulated_device.answers_known_question()
    monkeypatch.setattr(SimulatedDevice, "_queue", lambda self, duration: self.free_at)
    assert not simulated_device.answers_known_question()
