"""What torch says about formats, low-precision updates, and bytes that are alive."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .handed import given_as


def torch_decode(stage: Any, case: dict[str, Any]) -> Any:
    """Return the float64 values of bit patterns of one of torch's dtypes."""
    import torch

    dtype = getattr(torch, case["dtype"])
    bits = torch.tensor(case["bits"], dtype=torch.int64)
    whole = bits.to(torch.uint8) if dtype.itemsize == 1 else bits.to(torch.uint16)
    return whole.view(dtype).double().numpy()


def torch_round(stage: Any, case: dict[str, Any]) -> Any:
    """Return float32 bit patterns after a trip through one of torch's dtypes, as float64."""
    import torch

    values = torch.from_numpy(given_as(case["values"]).copy())
    return values.to(getattr(torch, case["dtype"])).double().numpy()


def torch_limits(stage: Any, case: dict[str, Any]) -> dict[str, float]:
    """Return what torch.finfo says."""
    import torch

    info = torch.finfo(getattr(torch, case["dtype"]))
    return {
        "max": info.max, "smallest_normal": info.smallest_normal, "eps": info.eps,
        "smallest_subnormal": info.smallest_normal * info.eps,
    }  # fmt: skip


def torch_low_precision_sgd(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Train weights of a torch dtype in place, and a float32 copy beside them."""
    import torch

    plain = torch.tensor(case["weights"]).to(getattr(torch, case["dtype"]))
    master, lost = torch.tensor(case["weights"]), 0
    for gradient in case["gradients"]:
        change = case["lr"] * torch.tensor(gradient)
        before = plain.clone()
        plain.sub_(change)
        master.sub_(change)
        lost += int(((plain == before) & (change != 0)).sum())
    return {
        "plain": plain.float().numpy(),
        "master": master.numpy(),
        "weights": master.to(plain.dtype).float().numpy(),
        "lost": lost,
    }


def mlp(widths: list[int]) -> Any:
    """Return linear layers of these widths with ReLUs between them."""
    import torch

    layers: list[Any] = []
    for number, (wide, high) in enumerate(pairwise(widths)):
        layers += [torch.nn.ReLU()] if number else []
        layers.append(torch.nn.Linear(wide, high))
    return torch.nn.Sequential(*layers)


def live_forward(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count the bytes that a forward of an mlp leaves alive, with and without autocast."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    seen = {}
    for name, enabled in (("fp32", False), ("bf16", True)):
        model = mlp(case["widths"])
        x = torch.ones(case["batch"], case["widths"][0])
        y = torch.zeros(case["batch"], dtype=torch.long)
        with LiveBytes() as ledger:
            ledger.track(model, x, y)
            before = ledger.live
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
                loss = torch.nn.functional.cross_entropy(model(x), y)
            seen[name] = ledger.live - before
        del loss
    return seen
