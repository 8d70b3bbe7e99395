"""Runs that are saved, killed, and resumed in another process."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from grader.instruments import file_calls

from .programs import ready


def _finger(value: Any) -> str:
    """Return a text that changes whenever anything in a value does."""
    import hashlib

    import torch

    if isinstance(value, torch.Tensor):
        held = value.detach().cpu().contiguous()
        raw = held.view(torch.uint8) if held.dim() else held.reshape(1).view(torch.uint8)
        digest = hashlib.sha256(raw.numpy().tobytes()).hexdigest()[:16]
        return f"{held.dtype}{tuple(held.shape)}{digest}"
    if isinstance(value, dict):
        items = sorted((str(key), _finger(one)) for key, one in value.items())
        return "{" + ",".join(f"{key}:{one}" for key, one in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_finger, value)) + "]"
    return repr(value)


def everything(trainer: Any) -> dict[str, str]:
    """Return the whole state of a run, seen from outside, each part as a short text."""
    import torch

    def state(part: str) -> str:
        held = getattr(trainer, part, None)
        return "" if held is None else _finger(held.state_dict())

    return {
        "model": state("model"),
        "optimizer": state("optimizer"),
        "scheduler": state("scheduler"),
        "scaler": state("scaler"),
        "torch's generator": _finger(torch.get_rng_state()),
    }


def _follow(trainer: Any, steps: int) -> list[dict[str, str]]:
    """Make steps; return what each was made on, its loss, and everything after it."""
    stream = trainer.stream()
    rows = []
    for _ in range(steps):
        batch = next(stream)
        loss = trainer.step(batch)
        rows.append({"batch": _finger(batch), "loss": _finger(loss), **everything(trainer)})
    return rows


def saved(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Train, save, and go on; return what followed, and what the save left of the run."""
    ready(stage, "save_run")
    trainer = stage.repaired(case["seed"])
    stream = trainer.stream()
    for _ in range(case["before"]):
        trainer.step(next(stream))
    before = everything(trainer)
    stage.save_run(trainer, case["file"])
    after = everything(trainer)
    return {
        "moved": [part for part in before if before[part] != after[part]],
        "there": sorted(entry.name for entry in Path(case["file"]).parent.iterdir()),
        "followed": _follow(trainer, case["after"]),
    }


def resumed(stage: Any, case: dict[str, Any]) -> list[dict[str, str]]:
    """Resume in a trainer that has made steps of its own, and follow it."""
    import torch

    ready(stage, "resume_run")
    trainer = stage.repaired(case["seed"])
    stream = trainer.stream()
    for _ in range(case["own"]):
        trainer.step(next(stream))
    torch.manual_seed(case["seed"] + 1)
    stage.resume_run(trainer, case["file"])
    return _follow(trainer, case["after"])


def prepared(stage: Any, case: dict[str, Any]) -> None:
    """Save a run with the stage, unwatched, as the checkpoint that was there before."""
    ready(stage, "save_run")
    trainer = stage.repaired(case["seed"])
    stream = trainer.stream()
    for _ in range(case["before"]):
        trainer.step(next(stream))
    stage.save_run(trainer, case["file"])


def _later(stage: Any, case: dict[str, Any]) -> Any:
    trainer = stage.repaired(case["seed"])
    stream = trainer.stream()
    for _ in range(case["before"]):
        trainer.step(next(stream))
    return trainer


def save_watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Watch the save of a run, call by call."""
    ready(stage, "save_run")
    trainer = _later(stage, case)
    root = Path(case["root"])
    record = file_calls.watch(lambda: stage.save_run(trainer, case["file"]), root, None, stage)
    if record.raised.startswith("NotImplementedError"):
        stage.save_run(trainer, case["file"])  # a stub, seen as one here
    return file_calls.to_plain(record)


def save_killed(stage: Any, case: dict[str, Any]) -> None:
    """Save until the kernel kills this process, because a file grows over the limit."""
    trainer = _later(stage, case)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    stage.save_run(trainer, case["file"])


def loaded(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Resume from each of several files; say what came of it."""
    ready(stage, "resume_run")
    found = []
    for file in case["files"]:
        trainer = stage.repaired(case["seed"])
        try:
            stage.resume_run(trainer, file)
        except NotImplementedError:
            raise
        except Exception as error:
            found.append({"raised": f"{type(error).__name__}: {error}"[:200], "state": {}})
            continue
        found.append({"raised": "", "state": everything(trainer)})
    return found


def refused(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Resume from a file that is torn; say what was raised and whether the run is what it was."""
    ready(stage, "resume_run")
    trainer = stage.repaired(case["seed"])
    trainer.step(next(trainer.stream()))
    before = everything(trainer)
    raised = ""
    try:
        stage.resume_run(trainer, case["file"])
    except NotImplementedError:
        raise
    except Exception as error:
        raised = type(error).__name__
    return {"raised": raised, "kept": everything(trainer) == before}
