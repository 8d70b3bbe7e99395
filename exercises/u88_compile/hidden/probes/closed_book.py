"""closed_book_repair: the two functions are inspected and run here, on inputs of the driver's."""

from __future__ import annotations

from typing import Any

KEYS = (
    "broken",
    "repaired",
    "x",
    "graphs",
    "reason",
    "outputs_equal",
    "gradients_equal",
    "sentence",
)


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask for the functions and the claims about them; count breaks and run both on inputs."""
    import torch

    from grader.instruments import graph_breaks

    answer = stage.closed_book_repair()
    if not isinstance(answer, dict):
        return {"problem": "It must return a dict."}
    if missing := [key for key in KEYS if key not in answer]:
        return {"problem": f"The answer lacks {', '.join(missing)}."}
    functions, x = [answer["broken"], answer["repaired"]], answer["x"]
    if not all(callable(fn) for fn in functions):
        return {"problem": "`broken` and `repaired` must be functions."}
    if not isinstance(x, torch.Tensor) or x.dtype != torch.float32 or x.numel() < 2:
        return {"problem": "`x` must be a float32 tensor of at least two entries."}
    x = x.detach()
    torch.manual_seed(case["seed"])
    inputs = [x, -x, *(scale * torch.randn(x.shape) for scale in case["scales"])]
    return {
        "claims": {key: answer[key] for key in KEYS[3:]},
        "graphs": [graph_breaks.count_graphs(fn, [(x,)]).graphs for fn in functions],
        "reasons": [graph_breaks.first_break(fn, x) for fn in functions],
        "rows": [[_run(fn, one) for fn in functions] for one in inputs],
    }


def _run(fn: Any, x: Any) -> dict[str, Any]:
    """Return output and gradient of a function."""
    import torch

    leaf = x.clone().requires_grad_()
    output = fn(leaf)
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return {"problem": "Both functions must return a tensor that depends on x."}
    weights = torch.arange(1, output.numel() + 1, dtype=output.dtype).reshape(output.shape)
    (output * weights).sum().backward()
    gradient = torch.zeros_like(x) if leaf.grad is None else leaf.grad
    return {"output": output.detach().double().numpy(), "gradient": gradient.double().numpy()}
