"""Saves that are watched, killed or refused, and what can be loaded afterwards."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.instruments import file_calls


def _watch(stage: Any, case: dict[str, Any], run: Callable[[], Any]) -> dict[str, Any]:
    """Watch what a function does below the case's root; a stub is run here, to be seen as one."""
    fails = tuple(case["fails"]) if case.get("fails") else None
    record = file_calls.watch(run, Path(case["root"]), fails, stage, case.get("tool", ""))
    if record.raised.startswith("NotImplementedError"):
        run()
    return file_calls.to_plain(record)


def _die_of_a_long_file() -> None:
    """Let the kernel kill this process when a file grows over the limit."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def _raised(run: Callable[[], Any]) -> list[str]:
    """Return the names of the classes of what a function raises; none if it returns."""
    try:
        run()
    except NotImplementedError:
        raise
    except Exception as error:
        return [kind.__name__ for kind in type(error).__mro__]
    return []


def atomic_watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Watch one atomic write."""
    return _watch(stage, case, lambda: stage.atomic_write(case["file"], case["data"]))


def atomic_killed(stage: Any, case: dict[str, Any]) -> None:
    """Write until the kernel kills this process at a byte."""
    _die_of_a_long_file()
    stage.atomic_write(case["file"], case["data"])


def atomic_refused(stage: Any, case: dict[str, Any]) -> list[str]:
    """Write something; return what was raised. ``kind`` makes other data of the bytes."""
    data = case["data"]
    kinds: dict[str, Callable[[bytes], Any]] = {
        "bytearray": bytearray, "memoryview": memoryview,
        "memoryview of floats": lambda d: memoryview(d).cast("d"),
        "text": lambda d: d.decode("latin1"), "a list of numbers": list, "a number": len,
        "None": lambda d: None,
    }  # fmt: skip
    if case.get("kind"):
        data = kinds[case["kind"]](data)
    path = Path(case["file"]) if case.get("as_path") else case["file"]
    return _raised(lambda: stage.atomic_write(path, data))


def atomic_relative(stage: Any, case: dict[str, Any]) -> list[str]:
    """Write to a name without a folder, from within the folder; return what was raised."""
    before = Path.cwd()
    os.chdir(case["folder"])
    try:
        return _raised(lambda: stage.atomic_write(case["name"], case["data"]))
    finally:
        os.chdir(before)


def _state(step: int) -> dict[str, Any]:
    """Return the state of a small run after so many steps; another one for another step."""
    import torch

    generator = torch.Generator().manual_seed(step)
    return {
        "step": step,
        "model": {"w": torch.randn(50, 40, generator=generator)},
        "rng": {"torch": generator.get_state()[:40].clone()},
        "note": f"step {step}",
    }


def _same(state: Any) -> bool:
    """Whether this is, to the last bit, one of the states above."""
    import torch

    if not isinstance(state, dict) or type(state.get("step")) is not int:
        return False
    wanted = _state(state["step"])
    if state.keys() != wanted.keys() or not isinstance(state["model"], dict):
        return False
    return (
        str(getattr(state["model"].get("w"), "device", "")) == "cpu"
        and torch.equal(state["model"]["w"], wanted["model"]["w"])
        and torch.equal(state["rng"]["torch"], wanted["rng"]["torch"])
        and state["note"] == wanted["note"]
    )


def prepared(stage: Any, case: dict[str, Any]) -> None:
    """Write checkpoints as they shall look, without the stage."""
    import torch

    folder = Path(case["folder"])
    folder.mkdir(exist_ok=True)
    for step in case["steps"]:
        torch.save(_state(step), folder / f"step-{step:08d}.pt")


def save_watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Watch the save of one checkpoint."""
    state = _state(case["step"])
    return _watch(
        stage, case, lambda: stage.save_checkpoint(state, case["folder"], keep=case["keep"])
    )


def grader_watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Watch a save that is not the stage's: a sound one, or one onto the final name."""
    import torch

    state = _state(case["step"])
    path = Path(case["folder"], f"step-{case['step']:08d}.pt")

    def save() -> None:
        target = path if case["way"] == "onto the name" else path.with_name(f".{path.name}.part")
        with target.open("wb") as file:
            torch.save(state, file)
            file.flush()
            if target != path:
                os.fsync(file.fileno())
                target.replace(path)

    return _watch(stage, case, save)


def save_killed(stage: Any, case: dict[str, Any]) -> None:
    """Save until the kernel kills this process at a byte."""
    state = _state(case["step"])
    _die_of_a_long_file()
    stage.save_checkpoint(state, case["folder"], keep=case["keep"])


def save_refused(stage: Any, case: dict[str, Any]) -> list[str]:
    """Save one checkpoint; return what was raised. ``odd`` puts into it what no file can hold."""
    state = _state(case["step"])
    if case.get("odd"):
        state["odd"] = lambda: None
    return _raised(lambda: stage.save_checkpoint(state, case["folder"], keep=case["keep"]))


def saved(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Save checkpoints one after the other; say after each what is there and what it returned."""
    import torch

    after = []
    for step in case["steps"]:
        state = _state(step)
        path = stage.save_checkpoint(state, case["folder"], **case.get("named", {}))
        try:
            loaded = torch.load(Path(case["folder"], f"step-{step:08d}.pt"), weights_only=True)
            same = _same(loaded)
        except Exception:
            same = False
        there = sorted(entry.name for entry in Path(case["folder"]).iterdir())
        after.append({"path": str(path), "there": there, "same": same, "kept": _same(state)})
    return {"after": after}


def loaded_for_sure(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Load the newest whole checkpoint of each folder, without the stage."""
    import torch

    seen = []
    for folder in case["folders"]:
        found: dict[str, Any] = {"step": None, "same": False}
        for path in sorted(Path(folder).glob("step-*.pt"), reverse=True):
            try:
                state = torch.load(path, weights_only=True)
            except Exception:  # a torn file raises whatever it tears
                continue
            found = {"step": state.get("step"), "same": _same(state)}
            break
        seen.append(found)
    return seen


def loaded_by_stage(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the stage load from each folder."""
    seen = []
    for folder in case["folders"]:
        state: Any = None

        def load(folder: str = folder) -> None:
            nonlocal state
            state = stage.load_latest(folder)

        raised = _raised(load)
        step = state.get("step") if isinstance(state, dict) else None
        seen.append({"raised": raised, "step": step, "same": _same(state)})
    return seen


def plant(stage: Any, case: dict[str, Any]) -> None:
    """Write a file in a checkpoint's place that makes a folder when it is unpickled."""
    import torch

    trap = case["trap"]

    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (trap,))

    path = Path(case["folder"], f"step-{case['step']:08d}.pt")
    torch.save({"step": case["step"], "model": Trap()}, path)


def from_a_device(stage: Any, case: dict[str, Any]) -> None:
    """Write a checkpoint as a machine writes it whose tensors are on a CUDA device."""
    import torch

    plain = torch.serialization.location_tag
    torch.serialization.location_tag = lambda storage: "cuda:0"
    try:
        torch.save(_state(case["step"]), Path(case["folder"], f"step-{case['step']:08d}.pt"))
    finally:
        torch.serialization.location_tag = plain


def closed_book_watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Watch a piece of the closed-book run."""
    return _watch(stage, case, lambda: stage.closed_book_run(case["file"], case["steps"]))
