"""boundary_report on models whose answers depend on what a boundary changes."""

from __future__ import annotations

from typing import Any


def _model(kind: str, size: float) -> Any:
    """Return a model of two outputs whose factor or gradient depends on something, by `size`."""
    import torch
    from torch import nn

    class Scaled(torch.autograd.Function):
        """The input itself, whose gradient depends on the number of threads."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            return gradients[0] * (1 + size * (torch.get_num_threads() - 1))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 2, dtype=torch.float64)
            # so small that the outputs are larger than any gradient: no tensor hides another
            small = torch.full((2,), 1 / 64, dtype=torch.float64)
            self.frozen = nn.Parameter(small, requires_grad=False)
            self.register_buffer("seen", torch.zeros(1, dtype=torch.float64))
            self.calls = 0
            if kind == "unused":
                self.spare = nn.Parameter(torch.ones(2, dtype=torch.float64))

        def forward(self, x: Any) -> Any:
            self.calls += 1
            y = self.layer(x) * self.frozen
            if kind == "threads" and not self.training:
                y = y * (1 + size * (torch.get_num_threads() - 1))
            elif kind == "batch" and self.training:
                y = y * (1 + size * (len(x) == 1))
            elif kind == "again":
                y = y * (1 + size * self.calls)
            elif kind == "gradient":
                y = Scaled.apply(y)
            elif kind == "dropout":
                # whatever the batch, one number is drawn from torch's generator
                y = y * (1 + torch.rand(len(x), 1, dtype=torch.float64))
            elif kind == "buffer":
                y = y * (1 + size * self.seen)
                self.seen += 1 if len(x) > 1 else 0
            elif kind == "zeros":
                y = y * (torch.get_num_threads() - 1)
            elif kind == "infinities":
                large = 1000.0 * (1 + size * (torch.get_num_threads() - 1))
                beside = y.new_tensor([[float("inf"), large]]).expand(len(x), 2)
                y = torch.cat([beside, y], 1)
            elif kind == "NaN" and torch.get_num_threads() > 1:
                y = torch.where(torch.arange(len(y))[:, None] == len(y) - 1, float("nan"), y)
            elif kind == "NaN everywhere":
                y = torch.where(torch.arange(len(y))[:, None] == 0, float("nan"), y)
            elif kind == "raises" and torch.get_num_threads() > 1:
                self.seen += 1 + torch.rand(())
                raise ArithmeticError("two threads are too many")
            return y

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return Model()


def boundaries(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Report on each kind of model; say what was left changed."""
    import torch

    seen = {}
    torch.manual_seed(5)
    for kind, size in case["models"]:
        model = _model(kind, size)
        x = torch.tensor(case["x"], dtype=torch.float64)
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, 7.0)
        model.layer.bias.grad = None
        model.train(kind != "threads")
        modes = [module.training for module in model.modules()]
        values = [value.clone() for value in model.state_dict().values()]
        own, now = torch.get_num_threads(), case.get("now", 1)
        torch.set_num_threads(now)
        rng = torch.get_rng_state()
        compiler = None
        if case.get("compiled") is not None:

            def compiler(inner: Any) -> Any:
                return lambda rows: inner(rows) * (1 + case["compiled"])

        raised = ""
        report: Any = None
        try:
            report = stage.boundary_report(
                model, x, case["tolerance"], threads=case["threads"], compiler=compiler
            )
        except ArithmeticError as error:
            raised = type(error).__name__
        kept = {
            "grad": all(
                p.grad is None if p is model.layer.bias else bool((p.grad == 7.0).all())
                for p in model.parameters()
            ),
            "mode": modes == [module.training for module in model.modules()],
            "values": all(map(torch.equal, values, model.state_dict().values())),
            "generator": torch.equal(rng, torch.get_rng_state()),
            "threads": now == torch.get_num_threads(),
        }
        changed = [name for name, same in kept.items() if not same]
        torch.set_num_threads(own)
        seen[kind] = {"report": report, "raised": raised, "changed": changed}
    return seen
