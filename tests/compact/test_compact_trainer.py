"""The trainer: five phases, and a resume that is bitwise."""

import io

import pytest
import torch
from compact.config import ModelConfig
from compact.data import Batches, split
from compact.trainer import Trainer, make_trainer

DROPOUT = ModelConfig(widths=(64, 32, 10), dropout=0.3)


def scheduled(seed=0, config=DROPOUT):
    trainer = make_trainer(config, seed, batch_size=256)
    trainer.scheduler = torch.optim.lr_scheduler.StepLR(trainer.optimizer, 4, 0.5)
    return trainer


def losses(trainer, steps):
    stream = trainer.batches.stream()
    return [trainer.step(stream).item() for _ in range(steps)]


def weights(trainer):
    return torch.cat([p.detach().flatten() for p in trainer.model.parameters()])


def test_a_step_is_its_five_phases_in_order(monkeypatch):
    calls = []
    for name in ("fetch", "transfer", "forward", "backward", "update"):
        method = getattr(Trainer, name)
        monkeypatch.setattr(
            Trainer, name, lambda self, *a, n=name, m=method: (calls.append(n), m(self, *a))[1]
        )
    trainer = make_trainer(DROPOUT)
    loss = trainer.step(trainer.batches.stream())
    assert calls == ["fetch", "transfer", "forward", "backward", "update"]
    assert loss.shape == ()
    assert not loss.requires_grad


def test_the_wait_is_outside_the_training_step():
    trainer = make_trainer(DROPOUT)
    batch = trainer.fetch(trainer.batches.stream())
    trainer.fetch = None
    trainer.train_step(batch)
    assert trainer.steps == 1


def test_it_learns_the_digits():
    trainer = make_trainer(batch_size=64)
    losses(trainer, 120)
    images, labels = split()[1]
    trainer.model.eval()
    accuracy = (trainer.model(images).argmax(1) == labels).float().mean().item()
    assert accuracy > 0.9


def test_a_language_model_trains_with_the_same_trainer():
    config = ModelConfig("transformer", vocab=12, tokens=8, width=16, layers=1)
    ids = torch.arange(12).repeat(6).reshape(9, 8)
    trainer = make_trainer(config, lr=1e-2, batch_size=9, dataset=(ids, (ids + 1) % 12))
    seen = losses(trainer, 40)
    assert seen[-1] < 0.5 * seen[0]


def test_gradients_are_gone_after_a_step():
    trainer = make_trainer(DROPOUT)
    losses(trainer, 1)
    assert all(p.grad is None for p in trainer.model.parameters())


def test_a_seed_fixes_the_whole_run_with_dropout():
    assert losses(make_trainer(DROPOUT, 1), 5) == losses(make_trainer(DROPOUT, 1), 5)
    assert losses(make_trainer(DROPOUT, 1), 5) != losses(make_trainer(DROPOUT, 2), 5)


@pytest.mark.parametrize("used", [0, 1, 3, 5, 7])
@pytest.mark.parametrize("config", [DROPOUT, ModelConfig("transformer", width=16, dropout=0.2)])
def test_a_resume_in_the_middle_of_an_epoch_is_bitwise(used, config):
    whole = scheduled(config=config)
    every_loss = losses(whole, 9)

    first = scheduled(config=config)
    before = losses(first, used)
    file = io.BytesIO()
    torch.save(first.state_dict(), file)

    torch.manual_seed(12345)
    second = scheduled(seed=7, config=config)
    file.seek(0)
    second.load_state_dict(torch.load(file, weights_only=True))
    assert before + losses(second, 9 - used) == every_loss
    assert torch.equal(weights(second), weights(whole))
    assert second.steps == 9
    assert second.scheduler.get_last_lr() == whole.scheduler.get_last_lr()


@pytest.mark.parametrize("part", ["model", "optimizer", "scheduler", "batches", "torch_rng"])
def test_each_part_of_the_state_is_needed(part):
    first = scheduled()
    losses(first, 3)
    state = first.state_dict()
    rest = losses(first, 3)
    second = scheduled(seed=7)
    state[part] = second.state_dict()[part]
    second.load_state_dict(state)
    assert losses(second, 3) != rest


def test_the_state_is_a_snapshot_and_not_the_run_itself():
    trainer = scheduled()
    losses(trainer, 2)
    state = trainer.state_dict()
    rest = losses(trainer, 4)
    for _ in range(2):
        trainer.load_state_dict(state)
        assert losses(trainer, 4) == rest


def test_a_state_with_other_parts_is_refused():
    with pytest.raises(ValueError, match="has a scheduler"):
        make_trainer(DROPOUT).load_state_dict(scheduled().state_dict())
    trainer = make_trainer(DROPOUT)
    bare = Trainer(trainer.model, trainer.optimizer)
    with pytest.raises(ValueError, match="has a batches"):
        bare.load_state_dict(trainer.state_dict())


def test_batches_of_ones_own_can_be_given_instead():
    trainer = make_trainer(
        ModelConfig(widths=(3, 2)), dataset=(torch.rand(8, 3), torch.ones(8).long()), batch_size=8
    )
    mine = Batches(torch.rand(4, 3), torch.zeros(4).long(), 2)
    assert trainer.step(mine.stream()).shape == ()
    assert trainer.batches.position == 0
