"""The learning controls: an honest trainer passes, each kind of dishonest one is caught."""

import math

import pytest
import torch
from compact.config import ModelConfig
from compact.controls import (
    CHANCE_LOSS,
    every_parameter_learns,
    learning_controls,
    overfit_tiny_set,
    shuffled_labels,
)
from compact.data import split
from compact.trainer import Trainer, make_trainer


def honest(seed):
    return make_trainer(seed=seed)


def frozen(index, lr=1e-3):
    def make(seed):
        trainer = make_trainer(seed=seed, lr=lr)
        layers = [m for m in trainer.model.modules() if isinstance(m, torch.nn.Linear)]
        for parameter in layers[index].parameters():
            parameter.requires_grad_(False)
        return trainer

    return make


class Altered(Trainer):
    """A trainer made from another, with some phases replaced."""

    def __init__(self, seed):
        trainer = make_trainer(seed=seed)
        super().__init__(trainer.model, trainer.optimizer, trainer.batches)


class ForgetsToUpdate(Altered):
    def update(self):
        self.optimizer.zero_grad()


class ClimbsInsteadOfDescending(Altered):
    def backward(self, loss):
        (-loss).backward()


class DetachesBeforeTheLastLayer(Altered):
    """A faster step: nothing but the last layer gets a gradient."""

    def forward(self, x, y):
        layers = self.model.layers
        with torch.no_grad():
            hidden = layers[:-1](x)
        return torch.nn.functional.cross_entropy(layers[-1](hidden), y)


class KnowsTheTrueLabels(Altered):
    """Looks the images up in the training set and ignores the labels it is given."""

    def __init__(self, seed, share=1.0):
        super().__init__(seed)
        images, labels = split()[0]
        self.truth = {
            tuple(image): label
            for image, label in zip(images.tolist(), labels.tolist(), strict=True)
        }
        self.share = share

    def transfer(self, batch):
        x, y = batch
        known = int(len(y) * self.share)
        truth = torch.tensor([self.truth[tuple(image)] for image in x[:known].tolist()])
        return x, torch.cat([truth.long(), y[known:]])


class HasDataOfItsOwn(Altered):
    def step(self, iterator):
        self.own = getattr(self, "own", None) or self.batches.stream()
        return super().step(self.own)


@pytest.mark.parametrize("seed", range(3))
def test_an_honest_trainer_passes_all_controls(seed):
    controls = learning_controls(honest, seed=seed)
    assert [control.name for control in controls if not control.passed] == []
    assert len(controls) == 3
    assert all(control.reason for control in controls)


def test_an_honest_trainer_with_dropout_or_another_rate_passes():
    for make in (
        lambda seed: make_trainer(ModelConfig(dropout=0.1), seed),
        lambda seed: make_trainer(seed=seed, lr=3e-3),
    ):
        assert overfit_tiny_set(make).passed
        assert shuffled_labels(make).passed
        assert every_parameter_learns(make).passed


def test_the_transformer_passes_too():
    def make(seed):
        return make_trainer(ModelConfig("transformer", width=32, layers=1), seed, lr=3e-3)

    assert overfit_tiny_set(make).passed
    assert every_parameter_learns(make).passed


@pytest.mark.parametrize("index", range(3))
def test_a_frozen_layer_learns_a_tiny_set_too_slowly(index):
    control = overfit_tiny_set(frozen(index))
    assert not control.passed
    assert control.value > control.threshold
    assert "not learned" in control.reason


@pytest.mark.parametrize("index", range(3))
def test_a_frozen_layer_is_named_at_any_learning_rate(index):
    control = every_parameter_learns(frozen(index, lr=1e-2))
    assert not control.passed
    assert f"layers.{2 * index}.weight" in control.reason
    assert control.value == 0


@pytest.mark.parametrize("make", [ForgetsToUpdate, ClimbsInsteadOfDescending])
def test_a_trainer_that_does_not_learn_is_caught(make):
    assert not overfit_tiny_set(make).passed


def test_a_step_that_skips_the_backward_of_the_first_layers_is_caught_twice():
    assert not overfit_tiny_set(DetachesBeforeTheLastLayer).passed
    control = every_parameter_learns(DetachesBeforeTheLastLayer)
    assert not control.passed
    assert "layers.0.weight" in control.reason


def test_a_layer_that_only_decays_has_not_learned():
    def make(seed):
        trainer = make_trainer(seed=seed, lr=1e-2)
        for group in trainer.optimizer.param_groups:
            group["weight_decay"] = 0.5
        trainer.model.layers[0].weight.register_hook(torch.zeros_like)
        return trainer

    before = make(0).model.layers[0].weight.detach().clone()
    trainer = make(0)
    trainer.step(trainer.batches.stream())
    assert not torch.equal(before, trainer.model.layers[0].weight)
    control = every_parameter_learns(make)
    assert not control.passed
    assert "layers.0.weight" in control.reason


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_labels_that_leak_are_caught_even_when_only_some_do(seed, share):
    control = shuffled_labels(lambda s: KnowsTheTrueLabels(s, share), seed=seed)
    assert not control.passed
    assert "the true labels reach the trainer" in control.reason


def test_a_trainer_that_ignores_the_batches_it_is_given_is_caught():
    assert not shuffled_labels(HasDataOfItsOwn).passed


def test_a_loss_that_is_not_finite_does_not_pass():
    def make(seed):
        trainer = make_trainer(seed=seed)
        with torch.no_grad():
            trainer.model.layers[0].bias.fill_(float("nan"))
        return trainer

    assert not overfit_tiny_set(make, steps=2).passed
    assert not every_parameter_learns(make).passed


def test_a_seed_fixes_the_values_and_the_random_state_is_left_alone():
    state = torch.get_rng_state()
    one, again = (overfit_tiny_set(honest, seed=4, steps=20) for _ in range(2))
    assert one == again
    assert one != overfit_tiny_set(honest, seed=5, steps=20)
    shuffled_labels(honest, steps=2)
    every_parameter_learns(honest, steps=1)
    assert torch.equal(state, torch.get_rng_state())


def test_the_lines_are_where_the_formulas_say():
    assert overfit_tiny_set(honest, steps=1).threshold == pytest.approx(0.01 * math.log(10))
    assert pytest.approx(math.log(10)) == CHANCE_LOSS
    held = split()[1][1]
    p, n = held.bincount().max().item() / len(held), len(held)
    line = p + 4 * math.sqrt(4 * p * (1 - p) / n)
    assert shuffled_labels(honest, steps=1).threshold == pytest.approx(line)


def test_shuffled_labels_carry_nothing_even_by_accident():
    from compact.controls import _uninformative

    labels = split()[0][1]
    shuffled = _uninformative(labels, torch.Generator().manual_seed(0))
    for label in range(10):
        shares = shuffled[labels == label].bincount(minlength=10)
        assert shares.max() - shares.min() <= 1


def test_another_data_set_can_be_given():
    images = torch.rand(40, 64, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(40) % 10
    assert overfit_tiny_set(honest, dataset=(images, labels), steps=200).passed
