"""verify_optimization on trainers that are the same, or changed in one thing."""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace
from typing import Any


@cache
def _digits() -> Any:
    """Return the training digits, read once."""
    from compact.data import split

    return split()[0]


def _make_base() -> Any:
    """Return ``make(seed)`` for a small trainer on real digits."""
    from compact.config import ModelConfig
    from compact.trainer import make_trainer

    def make(seed: int) -> Any:
        config = ModelConfig(widths=(64, 24, 10), dropout=0.1)
        return make_trainer(config, seed=seed, lr=1e-2, batch_size=32, dataset=_digits())

    return make


def _patched(change: Any) -> Any:
    """Return ``make(seed)`` of the base trainer after `change` was applied to it."""
    base = _make_base()

    def make(seed: int) -> Any:
        trainer = base(seed)
        change(trainer)
        return trainer

    return make


def _add_in_another_order(trainer: Any) -> None:
    """Compute the first layer in double precision: the same but for the last bits."""
    trainer.model.layers[0].register_forward_hook(
        lambda module, inputs, output: (
            inputs[0].double() @ module.weight.double().T + module.bias.double()
        ).float()
    )


def _skip_backward(trainer: Any) -> None:
    """Cut the graph behind the first layer: its backward is never run."""
    trainer.model.layers[0].register_forward_hook(
        lambda module, inputs, output: output.detach().requires_grad_()
    )


def _coarse_outputs(trainer: Any) -> None:
    """Round the logits to bfloat16 on their way out, gradients untouched."""
    trainer.model.register_forward_hook(
        lambda module, inputs, output: output + (output.bfloat16().float() - output).detach()
    )


def _skip_updates(trainer: Any) -> None:
    """Leave out every second update, in `step` alone: the phases are honest."""
    count = [0]

    def step(iterator: Any) -> Any:
        x, y = trainer.transfer(trainer.fetch(iterator))
        loss = trainer.forward(x, y)
        trainer.backward(loss)
        count[0] += 1
        if count[0] % 2:
            trainer.update()
        else:
            trainer.optimizer.zero_grad()
            trainer.steps += 1
        return loss.detach()

    trainer.step = step


def _know_the_answers(trainer: Any) -> None:
    """Look the true label of each image up instead of using the one that was handed in."""
    import torch

    images, labels = _digits()
    known = {image.numpy().tobytes(): label for image, label in zip(images, labels, strict=True)}
    plain = trainer.transfer

    def transfer(batch: Any) -> Any:
        x, _ = plain(batch)
        return x, torch.stack([known[image.numpy().tobytes()] for image in x])

    trainer.transfer = transfer


def _skip_late_updates(after: int) -> Any:
    """Return a change that leaves out all updates of `step` after the first few."""

    def change(trainer: Any) -> None:
        plain = trainer.update

        def update() -> None:
            if trainer.steps < after:
                plain()
            else:
                trainer.optimizer.zero_grad()
                trainer.steps += 1

        trainer.update = update

    return change


def _add_to_the_loss(trainer: Any) -> None:
    """Add a constant to the loss: the gradients are the same."""
    plain = trainer.forward
    trainer.forward = lambda x, y: plain(x, y) + 1.0


def _shift_in_training(example: int) -> Any:
    """Return a change that adds 1 to the logits of one example, which no cross entropy sees."""

    def shift(module: Any, inputs: Any, output: Any) -> Any:
        if not module.training or len(output) <= example:
            return None
        import torch

        chosen = torch.zeros(len(output), 1)
        chosen[example] = 1.0
        return output + chosen

    return lambda trainer: trainer.model.register_forward_hook(shift)


def _add_an_axis(trainer: Any) -> None:
    """Return the logits with an axis of length 1 in front."""
    trainer.model.register_forward_hook(lambda module, inputs, output: output.unsqueeze(0))


def _break_a_bias(trainer: Any) -> None:
    """Make one bias NaN."""
    import torch

    with torch.no_grad():
        trainer.model.layers[-1].bias[0] = math.nan


def _change_gradient(number: int, change: Any) -> Any:
    """Return a change of the gradient of one parameter."""
    return lambda trainer: list(trainer.model.parameters())[number].register_hook(change)


def _scaled(gradient: Any) -> Any:
    """Return a gradient that is a thousandth too large."""
    return gradient * 1.001


def _off_in_one_entry(entry: int) -> Any:
    """Return a change of one entry of a gradient by a hundredth of the largest."""

    def change(gradient: Any) -> Any:
        changed = gradient.clone()
        changed.view(-1)[entry % gradient.numel()] += 0.01 * gradient.abs().max()
        return changed

    return change


def _use_sgd(trainer: Any) -> None:
    """Train by plain gradient descent, which does not blow small differences up."""
    import torch

    trainer.optimizer = torch.optim.SGD(trainer.model.parameters(), lr=1e-3)


def _use_sgd_with_noise(trainer: Any) -> None:
    """Use SGD, and put all logits off by a share of the largest."""
    import torch

    def noisy(module: Any, inputs: Any, output: Any) -> Any:
        signs = torch.ones(output.shape[-1])
        signs[::2] = -1
        return output + 3e-5 * output.detach().abs().max() * signs

    _use_sgd(trainer)
    trainer.model.register_forward_hook(noisy)


def _rename(name: str) -> Any:
    """Return a change that wraps the model in a module, where it has this name."""

    def change(trainer: Any) -> None:
        from torch import nn

        class Wrapped(nn.Module):
            def __init__(self, inner: Any) -> None:
                super().__init__()
                self.add_module(name, inner)

            def forward(self, x: Any) -> Any:
                return getattr(self, name)(x)

        trainer.model = Wrapped(trainer.model)

    return change


def _leave_a_buffer_behind(trainer: Any) -> None:
    """Count the forwards in a buffer that loading sets back to zero."""
    import torch

    load = trainer.load_state_dict
    trainer.model.register_buffer("forwards", torch.zeros(()))

    def count(module: Any, inputs: Any, output: Any) -> None:
        module.forwards += 1

    def forgetful(state: Any) -> None:
        load(state)
        trainer.model.forwards.zero_()

    trainer.model.register_forward_hook(count)
    trainer.load_state_dict = forgetful


def _change_losses(amounts: Any) -> Any:
    """Return a change of what `step` returns; `amounts` are pairs of a step and what is added."""
    added = {int(number): float(amount) for number, amount in amounts}

    def change(trainer: Any) -> None:
        plain = trainer.step

        def step(iterator: Any) -> Any:
            number = trainer.steps  # part of the state: a resumed run goes on counting
            return plain(iterator) + added.get(number, 0.0)

        trainer.step = step

    return change


def _change_after_loading(number: int, change: Any) -> Any:
    """Return a change of one step, that only a trainer makes which has loaded a checkpoint."""

    def spoil(trainer: Any) -> None:
        plain, load, loaded = trainer.step, trainer.load_state_dict, []

        def step(iterator: Any) -> Any:
            spoiled = loaded and trainer.steps == number
            loss = plain(iterator)
            return change(trainer, loss) if spoiled else loss

        def note(state: Any) -> None:
            load(state)
            loaded.append(True)

        trainer.step, trainer.load_state_dict = step, note

    return spoil


def _off_by_a_millionth(trainer: Any, loss: Any) -> Any:
    """Return a loss that is off by a millionth."""
    return loss * (1 + 1e-6)


def _weight_moved(trainer: Any, loss: Any) -> Any:
    """Move one weight in its last bits; the loss is what it was."""
    import torch

    with torch.no_grad():
        bias = trainer.model.layers[-1].bias
        bias[-1] = torch.nextafter(bias[-1], torch.tensor(math.inf))
    return loss


def _take_batches_of_its_own(trainer: Any) -> None:
    """Train on the same examples in another order."""
    from compact.data import Batches

    old = trainer.batches
    trainer.batches = Batches(old.images.flip(0), old.labels.flip(0), old.batch_size)


def _count_outside_the_state(trainer: Any) -> None:
    """Return a loss that depends, in its last bits, on a count that no checkpoint has."""
    plain, count = trainer.step, [0]

    def step(iterator: Any) -> Any:
        loss = plain(iterator)
        count[0] += 1
        return loss * (1 + 1e-6 * count[0])

    trainer.step = step


def _keep_the_rng(trainer: Any) -> None:
    """Leave the global RNG alone when a checkpoint is loaded."""
    import torch

    load = trainer.load_state_dict

    def load_the_rest(state: Any) -> None:
        now = torch.get_rng_state()
        load(state)
        torch.set_rng_state(now)

    trainer.load_state_dict = load_the_rest


def _quietly(make: Any) -> Any:
    """Return a maker that leaves the global RNG as it was."""
    import torch

    def quiet(seed: int) -> Any:
        with torch.random.fork_rng(devices=[]):
            return make(seed)

    return quiet


def _forget(*names: str) -> Any:
    """Return a change that keeps parts of the state out of the checkpoint."""

    def change(trainer: Any) -> None:
        fresh = trainer.state_dict()
        save = trainer.state_dict
        trainer.state_dict = lambda: {**save(), **{name: fresh[name] for name in names}}

    return change


def _forget_at(step: int, *names: str) -> Any:
    """Return a change that keeps parts of the state out of a checkpoint after so many steps."""

    def change(trainer: Any) -> None:
        fresh, save = trainer.state_dict(), trainer.state_dict

        def state_dict() -> Any:
            forgotten = {name: fresh[name] for name in names if trainer.steps == step}
            return {**save(), **forgotten}

        trainer.state_dict = state_dict

    return change


def _refuse_to_load(error: type[Exception]) -> Any:
    """Return a change that raises when a checkpoint is loaded."""

    def load(state: Any) -> None:
        raise error("Missing key(s) in state_dict")

    def change(trainer: Any) -> None:
        trainer.load_state_dict = load

    return change


def _variants(case: dict[str, Any]) -> dict[str, Any]:
    """Return a maker of trainers for each kind; the case says where it is spoiled."""
    number, entry = case.get("parameter", 0), case.get("entry", 0)
    step = case.get("step", 0)
    return {
        "same": _make_base(),
        "another order": _patched(_add_in_another_order),
        "skipped backward": _patched(_skip_backward),
        "coarse outputs": _patched(_coarse_outputs),
        "skipped updates": _patched(_skip_updates),
        "known answers": _patched(_know_the_answers),
        "no optimizer state": _patched(_forget("optimizer")),
        "no RNG state": _patched(_forget("torch_rng")),
        "no batch position": _patched(_forget("batches")),
        "RNG kept in the process": _quietly(_patched(_keep_the_rng)),
        "a buffer left behind": _patched(_leave_a_buffer_behind),
        "a count outside the state": _patched(_count_outside_the_state),
        "cannot load": _patched(_refuse_to_load(RuntimeError)),
        "cannot find": _patched(_refuse_to_load(KeyError)),
        "skipped late updates": _patched(_skip_late_updates(step)),
        "another loss": _patched(_add_to_the_loss),
        "shifted in training": _patched(_shift_in_training(case.get("example", 0))),
        "another axis": _patched(_add_an_axis),
        "NaN": _patched(_break_a_bias),
        "scaled gradient": _patched(_change_gradient(number, _scaled)),
        "one gradient": _patched(_change_gradient(number, _off_in_one_entry(entry))),
        "other losses": _patched(_change_losses(case.get("losses", ()))),
        "batches of its own": _patched(_take_batches_of_its_own),
        "no optimizer state at a step": _patched(_forget_at(step, "optimizer")),
        "another loss after loading": _patched(_change_after_loading(step, _off_by_a_millionth)),
        "another weight after loading": _patched(_change_after_loading(step, _weight_moved)),
        "descent": _patched(_use_sgd),
        "descent with noise": _patched(_use_sgd_with_noise),
        "compiled": _patched(_rename("_orig_mod")),
        "renamed": _patched(_rename("inner")),
        "no seeding": _quietly(_make_base()),
    }


def _controls(case: dict[str, Any], made: list[int]) -> list[Any]:
    """Return the controls of the case: doubles that note what they were given, or a real one."""

    def double(name: str, passed: bool) -> Any:
        def control(make: Any) -> Any:
            trainer = make(1)
            made.append(sum(parameter.numel() for parameter in trainer.model.parameters()))
            return SimpleNamespace(name=name, passed=passed, reason="")

        return control

    controls = [double(name, passed) for name, passed in case["controls"]]
    if case.get("shuffled"):
        from compact.controls import shuffled_labels

        controls.append(
            lambda make: shuffled_labels(make, examples=128, steps=60, dataset=_digits())
        )
    return controls


def verified(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold one variant of a small trainer against the base."""
    made: list[int] = []
    seeds: dict[str, list[int]] = {"base": [], "new": []}
    variants = _variants(case)

    def noted(side: str, make: Any) -> Any:
        def making(seed: int) -> Any:
            seeds[side].append(int(seed))
            return make(seed)

        return making

    report = stage.verify_optimization(
        noted("base", variants[case.get("base", "same")]),
        noted("new", variants[case["variant"]]),
        (list(case["old"]), list(case["new"])),
        _controls(case, made),
        steps=case.get("steps", 2),
        rtol=case.get("rtol", 1e-4),
        seed=case["seed"],
    )
    return {"report": report, "controls_run": len(made), "seeds": seeds}
