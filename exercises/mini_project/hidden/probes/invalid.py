"""Runs that turn invalid at a known step and place, and the replay of what was captured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .programs import maker, ready

CLEAN, BATCH = "clean", "batch"


def _called(trainer: Any, batch: Any) -> list[str]:
    """Return the leaf modules that a forward calls, in order, by name."""
    order: list[str] = []
    handles = [
        module.register_forward_hook(lambda *_, name=name: order.append(name))
        for name, module in trainer.model.named_modules()
        if not list(module.children())
    ]
    trainer.forward(batch)
    for handle in handles:
        handle.remove()
    return order


def _places(trainer: Any, batch: Any) -> list[str]:
    """Return those of the called modules that have parameters of their own and are called once."""
    called = _called(trainer, batch)
    own = {
        name
        for name, module in trainer.model.named_modules()
        if not list(module.children()) and list(module.parameters(recurse=False))
    }
    return [name for name in called if name in own and called.count(name) == 1]


def _poisoned(trainer: Any, where: str, at: int) -> Iterator[Any]:
    """Hand out batches; right before the step `at` one module's weights become infinite."""
    import torch

    for number, batch in enumerate(trainer.stream()):
        if number == at and where == BATCH:
            floats = [i for i, one in enumerate(batch) if one.is_floating_point()]
            spoiled = [one.clone() for one in batch]
            if floats:
                spoiled[floats[0]].view(-1)[-1] = float("nan")
            yield tuple(spoiled)
            continue
        if number == at and where != CLEAN:
            with torch.no_grad():
                module = trainer.model.get_submodule(where)
                for parameter in module.parameters(recurse=False):
                    parameter.fill_(float("inf"))
        yield batch


def invalid(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the stage find the first invalid value of several runs; keep its captures in files."""
    import torch

    ready(stage, "first_invalid")
    make = maker(case["trainer"])
    trainer = make(case["seed"])
    places = _places(trainer, next(trainer.stream()))
    has_floats = any(one.is_floating_point() for one in next(trainer.stream()))
    last = len(places) - 1
    chosen = [places[round(share * last)] for share in case["shares"]] if places else []
    wanted = [CLEAN, *([BATCH] if has_floats else []), *dict.fromkeys(chosen)]
    seen = []
    for number, where in enumerate(wanted):
        trainer = make(case["seed"])
        hooks = sum(len(m._forward_hooks) for m in trainer.model.modules())
        found = stage.first_invalid(trainer, _poisoned(trainer, where, case["at"]), case["steps"])
        left = sum(len(m._forward_hooks) for m in trainer.model.modules()) - hooks
        row: dict[str, Any] = {"where": where, "steps": trainer.steps, "hooks": left, "file": ""}
        row["none"] = found is None
        if isinstance(found, dict):
            row |= {"keys": sorted(map(str, found))}
            row |= {key: found.get(key) for key in ("step", "module")}
            path = Path(case["scratch"], f"capture-{number}.pt")
            torch.save(found, path)
            row["file"] = str(path)
        elif found is not None:
            row["keys"] = []
        seen.append(row)
    return seen


def replayed(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Let the stage replay what was captured, in trainers that know nothing of it."""
    import torch

    ready(stage, "replay")
    make = maker(case["trainer"])
    answers = []
    for file in case["files"]:
        try:
            capture = torch.load(Path(file), weights_only=True)
        except Exception as error:
            answers.append({"loads": f"{type(error).__name__}: {error}"[:200]})
            continue
        trainer = make(case["seed"] + 7)
        trainer.step(next(trainer.stream()))
        answers.append({"loads": "", "module": stage.replay(capture, trainer)})
    return answers


def refound(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Look for the first invalid value in captures of the stage, with hooks of the grader's."""
    import torch

    ready(stage, "first_invalid")
    make = maker(case["trainer"])
    found = []
    for file in case["files"]:
        try:
            capture = torch.load(Path(file), weights_only=True)
            trainer = make(case["seed"] + 7)
            trainer.load_state_dict(capture["state"])
            where = _first(trainer, capture["batch"])
        except Exception as error:
            found.append({"loads": f"{type(error).__name__}: {error}"[:200], "module": None})
            continue
        found.append({"loads": "", "module": where})
    return found


def _first(trainer: Any, batch: Any) -> str | None:
    """Return where the first value of a forward that is not finite is."""
    import torch

    def bad(value: Any) -> bool:
        floats = isinstance(value, torch.Tensor) and value.is_floating_point()
        return floats and not bool(torch.isfinite(value).all())

    if any(map(bad, batch)):
        return BATCH
    found: list[str] = []

    def hook(name: str, output: Any) -> None:
        if any(map(bad, output if isinstance(output, tuple | list) else (output,))):
            found.append(name)

    for name, module in trainer.model.named_modules():
        if not list(module.children()):
            module.register_forward_hook(lambda _m, _i, out, name=name: hook(name, out))
    loss = trainer.forward(batch)
    return found[0] if found else "loss" if bad(loss) else None


def captured(stage: Any, case: dict[str, Any]) -> list[list[Any]]:
    """Capture without the stage, so that the replay is judged alone; return places and files.

    The last capture is of a step in which nothing is invalid, though a place is written in it.
    """
    import torch

    ready(stage, "replay")
    make = maker(case["trainer"])
    trainer = make(case["seed"])
    places = _places(trainer, next(trainer.stream()))
    wanted = [places[round(share * (len(places) - 1))] for share in case["shares"]]
    files: list[list[Any]] = []
    for number, where in enumerate([*wanted, CLEAN]):
        trainer = make(case["seed"])
        stream = _poisoned(trainer, where, case["at"])
        for _ in range(case["at"]):
            trainer.step(next(stream))
        batch = next(stream)
        capture = {
            "step": case["at"],
            "module": wanted[0],
            "state": trainer.state_dict(),
            "batch": tuple(batch),
        }
        path = Path(case["scratch"], f"known-{number}.pt")
        torch.save(capture, path)
        files.append([None if where == CLEAN else where, str(path)])
    return files
