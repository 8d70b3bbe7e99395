"""Real operators on the simulated device: what host clocks see of a model's step."""

from __future__ import annotations

from typing import Any


class _Clock:
    """A clock [s] over the simulated device, which counts nanoseconds."""

    resolution = 0.0

    def __init__(self, device: Any) -> None:
        self._device = device

    def now(self) -> float:
        """Return the host's time [s]."""
        return self._device.now() / 1e9

    def synchronize(self) -> None:
        """Wait for the device."""
        self._device.synchronize()


def _step(device: Any, case: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the phases of one training step of a small model on the device."""
    import torch

    torch.manual_seed(case["seed"])
    widths = case["widths"]
    model = torch.nn.Sequential(
        torch.nn.Linear(widths[0], widths[1]), torch.nn.Tanh(), torch.nn.Linear(widths[1], 1)
    )
    device.adopt(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    x = device.to_device(torch.randn(case["batch"], widths[0]), pinned=True, non_blocking=True)
    kept: dict[str, Any] = {}

    def forward() -> None:
        kept["loss"] = model(x).square().mean()

    def backward() -> None:
        kept["loss"].backward()

    def update() -> None:
        optimizer.step()
        optimizer.zero_grad()

    def read() -> None:
        kept["loss"].item()

    return [("forward", forward), ("backward", backward), ("optimizer", update), ("read", read)]


def phased_model(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Time one and the same step with a sync after other phases each time.

    What the device itself needed for each phase is read from events in another run.
    """
    from grader.instruments.simulated_device import SimulatedDevice

    tables = []
    for sync_after in case["places"]:
        device = SimulatedDevice()
        with device:
            phases = _step(device, case)
            device.synchronize()
            table = stage.time_phases(phases, _Clock(device), sync_after)
        tables.append({"table": table, "syncs": [wait.name for wait in device.waits]})
    return tables


def operator_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a chain of operators behind older work; return what each took and what timers printed.

    The time of an operator on the device is how much later the queue ends for it.
    """
    import torch

    from grader.instruments.simulated_device import Rates, SimulatedDevice

    rates = Rates(launch=case["launch"], sync=case["sync"])
    size = case["size"]

    def run(policy: str) -> tuple[int, list[int], int]:
        device = SimulatedDevice(rates)
        with device:
            x = device.to_device(torch.ones(size, size), pinned=True, non_blocking=True)
            device.synchronize()
            free = device.free_at
            x @ x
            old = device.free_at - max(free, device.host)
            if policy == "honest":
                device.synchronize()
            begin, works = device.now(), []
            for name in case["operators"]:
                free = device.free_at
                x = torch.tanh(x) if name == "tanh" else x @ x if name == "matmul" else x + x
                works.append(device.free_at - max(free, device.host))
            if policy != "naive":
                device.synchronize()
            return device.now() - begin, works, old

    printed = {policy: run(policy)[0] for policy in ("naive", "end_only", "honest")}
    _, works, old = run("naive")
    return {"printed": printed, "works": works, "old": old}
