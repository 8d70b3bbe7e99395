"""What PyTorch itself gives for the same mathematics; no student code is asked."""

from __future__ import annotations

from typing import Any

from .models import mlp


def torch_linear(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Return output and the three gradients of a linear layer, computed in float64."""
    import torch

    x, W, b = (torch.tensor(array, dtype=torch.float64) for array in case["args"])
    leaves = [tensor.requires_grad_() for tensor in (x, W, b)]
    y = torch.nn.functional.linear(*leaves)
    return [y.detach(), *torch.autograd.grad(y, leaves, torch.tensor(case["g"]).double())]


def torch_relu(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Return output and gradient of a ReLU."""
    import torch

    x = torch.tensor(case["args"][0]).requires_grad_()
    y = torch.relu(x)
    return [y.detach(), *torch.autograd.grad(y, x, torch.tensor(case["g"]))]


def torch_xent(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Return mean cross entropy and its gradient, computed in float64."""
    import torch

    logits, labels = case["args"]
    z = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(z, torch.tensor(labels, dtype=torch.int64))
    (gradient,) = torch.autograd.grad(loss * case["g"], z)
    return [loss.detach(), gradient]


def mlp_saves(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the forward of an mlp and return what it saved beside its parameters [B].

    The hidden widths of the case differ, so that a shape tells the layer.
    """
    import torch

    from grader.instruments.saved_tensors import saved_tensors

    dtype = {2: "bfloat16", 4: "float32", 8: "float64"}[case["itemsize"]]
    model = mlp(case["widths"], case["frozen"], dtype, case["activation"])
    x = torch.ones(case["batch"], case["widths"][0], dtype=getattr(torch, dtype))
    x.requires_grad_(case["input_grad"])
    total = sum(saved.size for saved in saved_tensors(lambda: model(x), model.parameters()))
    rest = saved_tensors(lambda: model(x), [*model.parameters(), x])
    hidden = [
        sum(saved.size for saved in rest if saved.shape[-1] == width)
        for width in case["widths"][1:-1]
    ]
    return {"input": total - sum(saved.size for saved in rest), "hidden": hidden, "total": total}
