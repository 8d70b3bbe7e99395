"""Live counts for the calculators; they run beside the solution alone."""

from __future__ import annotations

from typing import Any


def count_mlp(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count one step of an mlp whose input is data or, if asked, needs a gradient itself."""
    import torch
    from compact.config import ModelConfig
    from compact.model import build
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    widths, batch = tuple(case["widths"]), case["batch"]
    model = build(ModelConfig(widths=widths))
    x = torch.ones(batch, widths[0], requires_grad=case["input_needs_grad"])
    y = torch.zeros(batch, dtype=torch.long)
    count = count_flops(lambda: F.cross_entropy(model(x), y))
    return {"forward": count.forward, "backward": count.backward}


def count_transformer(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count one step of a small language model with attention by hand."""
    import torch
    from compact.config import ModelConfig
    from compact.model import build
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    names = ("layers", "heads", "width", "tokens", "vocab")
    config = ModelConfig(
        kind="transformer", attention="manual", **{name: case[name] for name in names}
    )
    model = build(config)
    ids = torch.zeros(case["batch"], config.tokens, dtype=torch.long)
    count = count_flops(lambda: F.cross_entropy(model(ids).flatten(0, 1), ids.flatten()))
    return {"forward": count.forward, "backward": count.backward}
