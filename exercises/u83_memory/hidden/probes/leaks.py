"""8.3.n find_leak: steps that leave something behind, and steps that only seem to."""

from __future__ import annotations

from typing import Any

from .phases import HandMeter


def _ledger_meter() -> Any:
    """Return a meter on the course's own ledger."""
    from grader.instruments.live_bytes import LiveBytes

    class LedgerMeter(LiveBytes):
        def reset_peak(self) -> None:
            self.peak = self.live

    return LedgerMeter()


def leaking(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look for a leak in one of a few steps."""
    calls = [0]
    meter: Any = _ledger_meter()
    if case["kind"] in ("none", "zero", "by hand"):
        meter = HandMeter(case.get("resident", 1000), case["kind"])
    if case["kind"] == "by hand":
        step = _by_hand(case, meter)
    else:
        step = _STEPS[case["kind"]](case) if case["kind"] in _STEPS else (lambda: None)

    def counted() -> Any:
        calls[0] += 1
        return step()

    answer: dict[str, Any] = {"raised": []}
    try:
        answer["value"] = stage.find_leak(counted, meter, **case["plan"])
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
    return {**answer, "calls": calls[0]}


def _by_hand(case: dict[str, Any], meter: HandMeter) -> Any:
    """Move bytes of a meter by hand, and hold so many graphs more or less, step after step."""
    import torch

    weight = torch.zeros(1, requires_grad=True)
    moves, graphs, held = iter(case["moves"]), iter(case["graphs"]), []

    def step() -> None:
        meter.move(next(moves))
        more = next(graphs)
        for _ in range(more):
            held.append(weight.view(1))
        for _ in range(-more):
            held.pop()

    return step


def _loss_maker(case: dict[str, Any]) -> Any:
    """Return a function that makes a loss with labels of its own."""
    import torch
    from torch.nn import functional as F

    from .live import mlp

    model, batch = mlp(case["widths"]), case["batch"]
    x = torch.zeros(batch, case["widths"][0])

    def loss() -> Any:
        return F.cross_entropy(model(x), torch.zeros(batch, dtype=torch.long))

    return loss


def _keeps_losses(case: dict[str, Any]) -> Any:
    """Keep each loss of a validation, with its graph."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        losses.append(make())

    return step


def _keeps_numbers(case: dict[str, Any]) -> Any:
    """Keep each loss of a validation as a number."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        losses.append(make().item())

    return step


def _keeps_trained_losses(case: dict[str, Any]) -> Any:
    """Keep each loss after its backward: four bytes, and a graph whose tensors have gone."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        loss = make()
        loss.backward()
        losses.append(loss.detach())

    return step


def _keeps_rows(case: dict[str, Any]) -> Any:
    """Keep a row of each of some tables."""
    import torch

    rows = []

    def step() -> None:
        rows.append(torch.zeros(case["batch"], case["widths"][0])[0])

    return step


def _keeps_errors(case: dict[str, Any]) -> Any:
    """Keep the error of each failed attempt, whose traceback holds a tensor."""
    import torch

    errors = []

    def attempt() -> None:
        big = torch.zeros(case["batch"], case["widths"][0])
        raise RuntimeError(f"out of memory after {big.shape}")

    def step() -> None:
        try:
            attempt()
        except RuntimeError as error:
            errors.append(error)

    return step


def _makes_cycles(case: dict[str, Any]) -> Any:
    """Leave a tensor in a cycle for the garbage collector."""
    import torch

    def step() -> None:
        cycle: list[Any] = [torch.zeros(case["batch"], case["widths"][0])]
        cycle.append(cycle)

    return step


def _fills_a_cache(case: dict[str, Any]) -> Any:
    """Fill a cache of two entries, and train with an optimizer whose state comes once."""
    import torch

    make, cache = _loss_maker(case), []

    def step() -> None:
        if len(cache) < case["entries"]:
            cache.append(torch.zeros(100))
        make().backward()

    return step


def _goes_up_and_down(case: dict[str, Any]) -> Any:
    """Hold a buffer that grows for some steps and is then dropped, for a while."""
    import torch

    held: list[Any] = []

    def step() -> None:
        if len(held) == case["entries"]:
            held.clear()
        held.append(torch.zeros(100))

    return step


def _returns_its_loss(case: dict[str, Any]) -> Any:
    """Return the loss with its graph, which the caller has to drop."""
    return _loss_maker(case)


_STEPS = {
    "losses": _keeps_losses,
    "numbers": _keeps_numbers,
    "trained losses": _keeps_trained_losses,
    "rows": _keeps_rows,
    "errors": _keeps_errors,
    "cycles": _makes_cycles,
    "cache": _fills_a_cache,
    "up and down": _goes_up_and_down,
    "returned": _returns_its_loss,
}
