"""Measurements for the prediction sheet. No student code is in the process."""

from __future__ import annotations

from typing import Any

BLOCKS, WIDTH, INNER, BATCH = 8, 32, 64, 16


def _model() -> Any:
    """Return the sheet's blocks."""
    from torch import nn

    return nn.ModuleList(
        nn.Sequential(
            nn.Linear(WIDTH, INNER), nn.GELU(), nn.Linear(INNER, INNER), nn.GELU(),
            nn.Linear(INNER, WIDTH),
        )
        for _ in range(BLOCKS)
    )  # fmt: skip


def _input(batch: int = BATCH) -> Any:
    import torch

    return torch.ones(batch, WIDTH)


def _run(model: Any, x: Any, way: str) -> Any:
    """Run the blocks: ``plain``, each checkpointed, or ``one``, all as one segment."""
    from torch.utils.checkpoint import checkpoint

    def all_of_them(x: Any) -> Any:
        for block in model:
            x = block(x)
        return x

    if way == "plain":
        return all_of_them(x)
    if way == "one":
        return checkpoint(all_of_them, x, use_reentrant=False)
    for block in model:
        x = checkpoint(block, x, use_reentrant=False)
    return x


def _flops(way: str, early_stop: bool = True) -> Any:
    """Return the live count of a step."""
    from torch.utils.checkpoint import set_checkpoint_early_stop

    from grader.instruments.flops import count_flops

    model, x = _model(), _input()
    with set_checkpoint_early_stop(early_stop):
        return count_flops(lambda: _run(model, x, way).sum())


def _ratio(count: Any) -> float:
    return count.total / count.forward


def _first_input(count: Any) -> float:
    """Return the gradient of the data, which nobody needs, in forwards."""
    return 2 * BATCH * WIDTH * INNER / count.forward


def measure_plain_ratio(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count a plain step; the 3x rule has the first input gradient too much."""
    count = _flops("plain")
    first = _first_input(count)
    return {
        "value": _ratio(count),
        "terms": {
            "first_input_gradient": -first,
            "other_input_gradients": 1 - first,
            "recomputation": _ratio(count) - _ratio(_flops("each")),
        },
    }


def measure_checkpointed_ratio(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count a step whose blocks are checkpointed, and what early stop spares it."""
    plain, count, whole = _flops("plain"), _flops("each"), _flops("each", early_stop=False)
    return {
        "value": _ratio(count),
        "terms": {
            "early_stop": _ratio(count) - _ratio(whole),
            "recomputation": _ratio(count) - _ratio(plain),
            "first_input_gradient": -_first_input(count),
        },
    }


def measure_no_early_stop_ratio(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count a step whose second runs go to the end."""
    plain, count, whole = _flops("plain"), _flops("each"), _flops("each", early_stop=False)
    return {
        "value": _ratio(whole),
        "terms": {
            "last_linears": _ratio(whole) - _ratio(count),
            "recomputation": _ratio(whole) - _ratio(plain),
            "first_input_gradient": -_first_input(count),
        },
    }


def measure_forward_calls(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count calls of each block; a call that ends early is one."""
    model, x = _model(), _input()
    calls = [0] * len(model)
    for place, block in enumerate(model):

        def count(module: Any, inputs: Any, place: int = place) -> None:
            calls[place] += 1

        block.register_forward_pre_hook(count)
    _run(model, x, "each").sum().backward()
    same = len(set(calls)) == 1
    # who counts work instead of calls takes the part that early stop spares for none
    spared = _ratio(_flops("each", early_stop=False)) - _ratio(_flops("each"))
    return {
        "value": calls[0] if same else None,
        "terms": {"recomputation": calls[0] - 1, "early_stop": spared},
    }


def _phases(way: str, batch: int = BATCH) -> Any:
    """Return live bytes of forward and backward."""
    from grader.instruments.live_bytes import LiveBytes

    model, x = _model(), _input(batch)
    ledger = LiveBytes()
    ledger.track(model, x)
    with ledger:
        with ledger.phase("forward"):
            y = _run(model, x, way)
        with ledger.phase("backward"):
            y.sum().backward()
    return ledger.phases


def _live(way: str) -> int:
    forward = _phases(way)["forward"]
    return int(forward.after - forward.before)


def measure_live_plain(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Measure what a plain forward adds; GELU keeps its input and the next layer its output."""
    model = _model()
    return {
        "value": _live("plain"),
        "terms": {
            "inputs_of_gelu": 2 * BLOCKS * BATCH * INNER * 4,
            "input": -_input().nbytes,
            "parameters": -sum(parameter.nbytes for parameter in model.parameters()),
        },
    }


def measure_live_checkpointed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Measure what a checkpointed forward adds; a ledger of tensors sees no generator's state."""
    import torch

    kept = _live("each")
    return {
        "value": kept,
        "terms": {
            "inside_of_blocks": kept - _live("plain"),
            "input": -_input().nbytes,
            "random_states": -BLOCKS * torch.get_rng_state().nbytes,
        },
    }


def measure_batches_tracked(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a BatchNorm once under a checkpoint and look at its count."""
    import torch
    from torch.utils.checkpoint import checkpoint

    norm = torch.nn.BatchNorm1d(WIDTH)
    x = torch.arange(BATCH * WIDTH, dtype=torch.float32).reshape(BATCH, WIDTH)
    y = checkpoint(norm, x, use_reentrant=False)
    once = int(norm.num_batches_tracked)
    y.square().sum().backward()
    twice = int(norm.num_batches_tracked)
    return {"value": twice, "terms": {"recomputation": twice - once}}


def measure_who_pays(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare the FLOPs of each phase, plain and checkpointed; no optimizer multiplies matrices."""
    plain, count = _flops("plain"), _flops("each")
    more = {"forward": count.forward - plain.forward, "backward": count.backward - plain.backward}
    (phase,) = (name for name, extra in more.items() if extra > 0)
    return {
        "value": phase,
        "terms": {phase: more[phase]},
        "note": f"{more[phase]} FLOP more in the {phase}",
    }


def measure_whole_model(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare the peaks of the plain step and of one checkpointed segment."""
    peaks = {}
    for way in ("plain", "one"):
        phases = _phases(way, 1024)
        highest = max(phase.peak for phase in phases.values())
        peaks[way] = int(highest - phases["forward"].before)
    word = "lower" if peaks["one"] < peaks["plain"] else "not_lower"
    return {
        "value": word,
        "terms": {word: peaks["one"]},
        "note": f"peak {peaks['one']} B as one segment, {peaks['plain']} B plain",
    }


def measure_below_the_rule(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Measure both reasons why a checkpointed step costs less than four forwards."""
    count, whole = _flops("each"), _flops("each", early_stop=False)
    early = whole.total - count.total
    return {
        "value": None,
        "terms": {"early_stop": early, "first_input_gradient": 4 * count.forward - whole.total},
        "note": f"4 forwards are {4 * count.forward} FLOP, counted were {count.total} FLOP",
    }
