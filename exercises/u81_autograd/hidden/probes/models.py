"""The mlp that several probes of unit 8.1 look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any


def mlp(
    widths: Sequence[int],
    frozen: Collection[int] = (),
    dtype: str = "float32",
    activation: str = "relu",
) -> Any:
    """Return Linear, activation, Linear, ..., Linear; the frozen layers need no gradient."""
    import torch
    from torch import nn

    between = {"relu": nn.ReLU, "gelu": nn.GELU}[activation]
    layers: list[Any] = []
    for number, (n, m) in enumerate(pairwise(widths)):
        layer = nn.Linear(n, m, dtype=getattr(torch, dtype))
        layers += [layer.requires_grad_(number not in frozen), between()]
    return nn.Sequential(*layers[:-1])
