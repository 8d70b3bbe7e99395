"""The models that the checks hand in: chains of blocks with dropout, norms, state and sharing."""

from __future__ import annotations

from typing import Any


def make_model(case: dict[str, Any]) -> Any:
    """Return the model of a case, the same each time, torch's generator as it was."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case["seed"])
        model = torch.nn.Sequential(*[_block(case) for _ in range(case["n"])])
        for parameter in model.parameters():
            if parameter.ndim == 1:
                torch.nn.init.normal_(parameter, std=0.1)
    if case.get("shared"):
        model[-1][0].weight = model[0][0].weight
    if case.get("frozen") == "all":
        model.requires_grad_(False)
    elif case.get("frozen"):
        model[1][0].weight.requires_grad_(False)
        model[0][-1].bias.requires_grad_(False)
    if case.get("half"):
        model.half()
    model.train(not case.get("evaluation", False))
    for place in case.get("evaluated", []):
        model[place][2].eval()  # a norm or a dropout, in a block that trains
    return model.to(case.get("device", "cpu"))


def _block(case: dict[str, Any]) -> Any:
    """Return a block ``[.., d] -> [.., d]`` with an inner layer of width h."""
    from torch import nn

    d, h, kind = case["d"], case["h"], case.get("kind", "mlp")
    if kind == "bare":
        return nn.Sequential(nn.GELU(), nn.Tanh())
    layers = [nn.Linear(d, h, bias=case.get("bias", True)), nn.GELU()]
    if kind == "norm":
        layers.append(nn.BatchNorm1d(h))
    if kind in ("count", "norm"):
        layers.append(_counting()(h))
    if kind == "bmm":
        layers.append(_batched())
    if case.get("drop"):
        layers.append(nn.Dropout(case["drop"]))
    layers.append(nn.Linear(h, d, bias=case.get("bias", True)))
    if kind == "own":
        layers.append(_own_operation())
    if kind == "idle":
        layers.append(_idle())
    return nn.Sequential(*layers)


def _counting() -> Any:
    """Return a module that scales by how often it has run, which is kept in a buffer."""
    import torch

    class Counting(torch.nn.Module):
        """What it computes depends on a buffer that it writes."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.register_buffer("runs", torch.zeros(()), persistent=False)
            self.register_buffer("unused", None)
            self.scale = torch.nn.Parameter(torch.ones(width))

        def forward(self, x: Any) -> Any:
            self.runs += 1
            return torch.tanh(x * self.scale * (1 + 0.125 * self.runs))

    return Counting


def _idle() -> Any:
    """Return a module with a parameter that it does not use."""
    import torch

    class Idle(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.unused = torch.nn.Parameter(torch.ones(3))

        def forward(self, x: Any) -> Any:
            return x * 2

    return Idle()


def _batched() -> Any:
    """Return a module that multiplies batches of matrices, made of the rows of its input."""
    import torch

    class Batched(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            rows = x.reshape(x.shape[0], -1, 2)
            scores = torch.bmm(rows, rows.transpose(1, 2)).softmax(-1)
            return torch.matmul(scores, rows).reshape(x.shape)

    return Batched()


def _own_operation() -> Any:
    """Return a module whose function saves its outputs by itself."""
    import torch

    class Square(torch.autograd.Function):
        """x times x, with two copies saved."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            copies = x.clone(), x.clone()
            ctx.save_for_backward(x, *copies)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[1] * grad

    class Own(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return Square.apply(x)

    return Own()


def make_input(case: dict[str, Any]) -> Any:
    """Return the input of a case ``[B, d]``, or ``[B, T, d]``; perhaps a view, or of one number."""
    import torch

    generator = torch.Generator().manual_seed(case["seed"] + 1)
    shape = (case["batch"], *([case["tokens"]] if case.get("tokens") else []), case["d"])
    if case.get("view"):
        x = torch.randn(*reversed(shape), generator=generator)
        x = x.permute(*reversed(range(x.ndim)))
    else:
        x = torch.randn(*shape, generator=generator)
    if case.get("nan"):
        x = x.clone()
        x.view(-1)[:1] = float("nan")
    x = x.half() if case.get("half") else x
    return x.to(case.get("device", "cpu")).requires_grad_(case.get("input_grad", False))
