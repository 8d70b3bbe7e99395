"""Learning controls: three short trainings that a trainer must pass before a gain counts.

Each takes ``make_trainer(seed)``, which returns a fresh trainer with the attributes of
`trainer.Trainer` that matter here: `model` and ``step(iterator)``. The control supplies the
batches, so whatever batch size or data set the trainer has of its own does not matter. The same
seed gives the same value. torch's global RNG is as it was afterwards.

What they can and cannot see. `overfit_tiny_set` sees a trainer that does not learn or learns much
more slowly than a sound one (no update, wrong sign, a frozen layer at the usual learning rate).
`shuffled_labels` sees a trainer that knows the answers from somewhere else.
`every_parameter_learns` sees a layer that is left out of backward or of the optimizer, at any
learning rate. None of them sees a wrong gradient scale under Adam, which is scale invariant, nor
a slightly wrong gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .data import CLASSES, Batches, Dataset, split

CHANCE_LOSS = math.log(CLASSES)
"""Cross entropy of a uniform guess over the classes, 2.303."""

OVERFIT_SHARE = 0.01
"""A tiny set counts as learned when its loss is below this share of `CHANCE_LOSS`."""

SPREADS = 4.0
"""Standard deviations above chance that a shuffled-label accuracy may reach."""

DESIGN_EFFECT = 4.0
"""How much wider than binomial, in variance, the accuracy under shuffled labels spreads.

Images of one class look alike and are often predicted alike, so 360 images count for fewer. Over 20
to 40 seeds the variance was 0.5 to 4.9 times the binomial one, depending on the learning rate.
"""

STILL = 1e-4
"""A parameter has not learned when it moved, beyond a mere rescaling, by less than this share."""


@dataclass(frozen=True, slots=True)
class Control:
    """The outcome of one control.

    Attributes:
        name: The control's function.
        value: What was measured: a loss, an accuracy, or a relative movement.
        threshold: The line that `value` is held against.
        passed: Whether the control is passed.
        reason: One sentence; what is wrong when it is not passed.
    """

    name: str
    value: float
    threshold: float
    passed: bool
    reason: str


class StepsAModel(Protocol):
    """What a control needs of a trainer."""

    model: nn.Module

    def step(self, iterator: Iterator[Dataset]) -> Tensor:
        """Train on the iterator's next batch."""
        ...


MakeTrainer = Callable[[int], StepsAModel]


def overfit_tiny_set(
    make_trainer: MakeTrainer,
    *,
    seed: int = 0,
    examples: int = 32,
    steps: int = 80,
    dataset: Dataset | None = None,
) -> Control:
    """Train on `examples` images until they are known by heart.

    The value is the loss on those images afterwards, in evaluation mode. Passed when it is below
    1 % of the loss of guessing: ``0.01 * ln(10)`` = 0.023. A slower model than the compact mlp may
    need more `steps`.
    """
    images, labels = _training_set(dataset)
    chosen = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))[:examples]
    tiny = images[chosen], labels[chosen]
    with torch.random.fork_rng(devices=[]):
        trainer = make_trainer(seed)
        _train(trainer, Batches(*tiny, batch_size=len(chosen), seed=seed), steps)
        logits = _logits(trainer.model, tiny[0])
    loss = F.cross_entropy(logits, tiny[1]).item()
    threshold = OVERFIT_SHARE * CHANCE_LOSS
    passed = loss < threshold
    verdict = "learned" if passed else "not learned: something does not train, or far too slowly"
    return Control(
        "overfit_tiny_set",
        loss,
        threshold,
        passed,
        f"after {steps} steps {examples} images have a loss of {loss:.4f} "
        f"(must be below {threshold:.4f}); {verdict}",
    )


def shuffled_labels(
    make_trainer: MakeTrainer,
    *,
    seed: int = 0,
    examples: int = 256,
    steps: int = 200,
    dataset: Dataset | None = None,
) -> Control:
    """Train on labels that have nothing to do with the images, then ask for the true ones.

    Within each true class every label is given out equally often, so the labels carry no
    information even by accident. The value is the accuracy on held-out images. Passed when it is at
    most ``p + 4 * sqrt(4 * p * (1 - p) / n)``: p is the share of the most frequent class among the
    n held-out images, the root is the binomial spread times the root of `DESIGN_EFFECT`.
    """
    images, labels = _training_set(dataset)
    held_images, held_labels = split()[1]
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(images), generator=generator)[:examples]
    shuffled = _uninformative(labels[chosen], generator)
    with torch.random.fork_rng(devices=[]):
        trainer = make_trainer(seed)
        _train(trainer, Batches(images[chosen], shuffled, min(64, len(chosen)), seed), steps)
        guesses = _logits(trainer.model, held_images).argmax(dim=1)
    accuracy = (guesses == held_labels).double().mean().item()
    chance = held_labels.bincount().max().item() / len(held_labels)
    spread = math.sqrt(DESIGN_EFFECT * chance * (1 - chance) / len(held_labels))
    threshold = chance + SPREADS * spread
    passed = accuracy <= threshold
    verdict = "that is chance" if passed else "above chance: the true labels reach the trainer"
    return Control(
        "shuffled_labels",
        accuracy,
        threshold,
        passed,
        f"trained on shuffled labels, {accuracy:.1%} of {len(held_labels)} held-out images are "
        f"right (at most {threshold:.1%}); {verdict}",
    )


def every_parameter_learns(
    make_trainer: MakeTrainer,
    *,
    seed: int = 0,
    steps: int = 3,
    dataset: Dataset | None = None,
) -> Control:
    """Take a few steps and look at every parameter that the model has.

    The value is the smallest relative movement among the parameters. Weight decay alone only
    rescales a parameter, so the part of the movement along the old value is taken out: a layer
    without a gradient stays at 0 even when the optimizer decays it.
    """
    images, labels = _training_set(dataset)
    with torch.random.fork_rng(devices=[]):
        trainer = make_trainer(seed)
        before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
        _train(trainer, Batches(images, labels, min(64, len(images)), seed), steps)
        after = dict(trainer.model.named_parameters())
    moved = {name: _movement(old, after[name].detach()) for name, old in before.items()}
    still = [name for name, movement in moved.items() if not movement > STILL]
    smallest = min(moved.values(), default=0.0)
    passed = bool(moved) and not still
    verdict = (
        "every parameter moved"
        if passed
        else "not trained: " + (", ".join(still) if moved else "the model has no parameter")
    )
    return Control(
        "every_parameter_learns",
        smallest,
        STILL,
        passed,
        f"after {steps} steps the smallest relative movement is {smallest:.2g} "
        f"(must be above {STILL:g}); {verdict}",
    )


def learning_controls(make_trainer: MakeTrainer, *, seed: int = 0) -> tuple[Control, ...]:
    """Run all three controls with their defaults."""
    return (
        overfit_tiny_set(make_trainer, seed=seed),
        shuffled_labels(make_trainer, seed=seed),
        every_parameter_learns(make_trainer, seed=seed),
    )


def _training_set(dataset: Dataset | None) -> Dataset:
    """Return the given examples, or the training digits."""
    return split()[0] if dataset is None else dataset


def _train(trainer: StepsAModel, batches: Batches, steps: int) -> None:
    """Take `steps` steps in training mode."""
    trainer.model.train()
    stream = batches.stream()
    for _ in range(steps):
        trainer.step(stream)


def _logits(model: nn.Module, images: Tensor) -> Tensor:
    """Return the model's logits ``[N, C]`` in evaluation mode, on the CPU."""
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    model.eval()
    with torch.no_grad():
        return model(images.to(device)).float().cpu()


def _uninformative(labels: Tensor, generator: torch.Generator) -> Tensor:
    """Return labels ``[N]`` of which each true class gets every one equally often, up to one."""
    shuffled = torch.empty_like(labels)
    for label in range(CLASSES):
        members = (labels == label).nonzero().flatten()
        members = members[torch.randperm(len(members), generator=generator)]
        shuffled[members] = torch.randperm(CLASSES, generator=generator).repeat(
            len(members) // CLASSES + 1
        )[: len(members)]
    return shuffled


def _movement(old: Tensor, new: Tensor) -> float:
    """Return how far a parameter moved off the line through zero and its old value, relative."""
    old, new = old.double().flatten(), new.double().flatten()
    size = old.norm().item()
    if size == 0.0:
        return math.inf if new.norm().item() > 0.0 else 0.0
    along = (new @ old) / (old @ old)
    return ((new - along * old).norm() / size).item()
