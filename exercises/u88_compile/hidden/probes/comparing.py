"""compare on models of several kinds, with backends that are right, or wrong in one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BATCH, WIDTH = 6, 4


def _models() -> dict[str, Callable[[], Any]]:
    """Return functions that make a model of each kind."""
    import torch
    from torch import nn

    class Plain(nn.Module):
        """Two layers with a torch.relu between them, which the testing backend of torch spoils."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(WIDTH, 8), nn.Linear(8, 3)

        def forward(self, x: Any) -> Any:
            return self.second(torch.relu(self.first(x) + 0.5))

    class Two(Plain):
        """A model that does one thing in training and another in evaluation."""

        def forward(self, x: Any) -> Any:
            y = self.second(self.first(x))
            return torch.sin(y) if self.training else torch.cos(y)

    class Log(Plain):
        """A model whose outputs are NaN."""

        def forward(self, x: Any) -> Any:
            return torch.log(-super().forward(x).abs())

    class Tied(nn.Module):
        """A parameter used twice, another frozen, a third never used."""

        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(WIDTH, WIDTH)
            self.second = nn.Linear(WIDTH, WIDTH)
            self.second.weight = self.first.weight
            self.first.bias.requires_grad_(False)
            self.unused = nn.Parameter(torch.ones(2))

        def forward(self, x: Any) -> Any:
            return self.second(torch.tanh(self.first(x)))

    def everything() -> Any:
        return nn.Sequential(nn.Linear(WIDTH, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5),
                             nn.Linear(8, 3))  # fmt: skip

    class Mirrored(nn.Module):
        """Outputs that come with their negatives, so that their sum has a gradient of 0 exactly."""

        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(WIDTH, 3)

        def forward(self, x: Any) -> Any:
            y = self.first(x)
            return torch.cat([y, -y], dim=-1)

    class Tiny(Plain):
        """A model whose outputs are so small that an absolute tolerance would hide anything."""

        def forward(self, x: Any) -> Any:
            return super().forward(x) * 1e-7

    class Padded(nn.Module):
        """A linear layer whose last output is 0."""

        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(WIDTH, 2)

        def forward(self, x: Any) -> Any:
            return nn.functional.pad(self.first(x), (0, 1))

    class Counting(Padded):
        """A model whose output in training depends on how often it was called."""

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: Any) -> Any:
            if self.training:
                self.calls += 1
            return super().forward(x) * (1 + self.calls.clone())

    def tokens() -> Any:
        return nn.Sequential(nn.Embedding(7, WIDTH), nn.Linear(WIDTH, 3))

    return {"plain": Plain, "two": Two, "log": Log, "tied": Tied, "everything": everything,
            "mirrored": Mirrored, "tiny": Tiny, "padded": Padded, "counting": Counting,
            "tokens": tokens}  # fmt: skip


def _backends(case: dict[str, Any]) -> dict[str, Any]:
    """Return backends by name; those not in here are torch's own."""
    import torch

    factor, place = case.get("factor", 1.001), case.get("place", 0)

    class Scaled(torch.autograd.Function):
        """Leaves a tensor alone and scales one entry of its gradient."""

        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(context: Any, gradient: Any) -> Any:
            gradient = gradient.clone(memory_format=torch.contiguous_format)
            flat = gradient.view(-1)
            flat[place % flat.numel()] += (factor - 1) * gradient.abs().max()
            return gradient

    def on_inputs(change: Callable[[Any], Any]) -> Any:
        """A backend that changes the inputs of one shape, a parameter's or the batch's."""

        def backend(graph_module: Any, example_inputs: Any) -> Any:
            def run(*inputs: Any) -> Any:
                return graph_module.forward(*(
                    change(one)
                    if isinstance(one, torch.Tensor) and list(one.shape) == case["shape"]
                    else one
                    for one in inputs
                ))  # fmt: skip

            return run

        return backend

    def on_outputs(change: Callable[[Any], Any], only: Any = None) -> Any:
        """A backend that changes the outputs of all graphs, or of those that call `only`."""

        def backend(graph_module: Any, example_inputs: Any) -> Any:
            calls = {node.target for node in graph_module.graph.nodes}
            if only is not None and only not in calls:
                return graph_module.forward
            return lambda *inputs: tuple(change(one) for one in graph_module.forward(*inputs))

        return backend

    def one_entry(y: Any) -> Any:
        noise = torch.zeros_like(y).reshape(-1)
        noise[place % noise.numel()] = (factor - 1) * y.detach().abs().max()
        return y + noise.reshape(y.shape)

    return {
        "one gradient": on_inputs(Scaled.apply),
        "gradient cut": on_inputs(lambda one: one.detach()),
        "one output": on_outputs(one_entry),
        "all outputs": on_outputs(lambda y: y * factor),
        "another axis": on_outputs(lambda y: y[None]),
        "wrong in training": on_outputs(lambda y: y * factor, torch.sin),
        "wrong in evaluation": on_outputs(lambda y: y * factor, torch.cos),
    }


def _batch(case: dict[str, Any]) -> Any:
    """Return the batch: floats or token numbers, any layout, any number of rows."""
    import torch

    if case["model"] == "tokens":
        return torch.arange(BATCH) % 7
    x = torch.from_numpy(case["x"].copy())
    if case.get("leaf"):
        x.grad = torch.ones_like(x.requires_grad_())
    return x.t().contiguous().t() if case.get("strided") else x


def compared(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare models with backends, one after the other."""
    return [_compared(stage, one) for one in case["cases"]]


def _compared(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare one model with one backend; tell the report and what was not left as it was."""
    import torch

    torch.manual_seed(case["seed"])
    model = _models()[case["model"]]()
    backend = _backends(case).get(case["backend"], case["backend"])
    batch = _batch(case)
    if case["model"] == "everything":
        model[1].eval()
        model(batch).sum().backward()  # gradients that are there already
    before = _state(model, batch)
    report = stage.compare(model, batch, backend, **case.get("named", {}))
    after = _state(model, batch)
    return {"report": report, "changed": [name for name in before if before[name] != after[name]]}


def _state(model: Any, batch: Any) -> dict[str, Any]:
    """Return everything that has to stay, as plain data."""
    import torch

    def plain(tensor: Any) -> Any:
        return None if tensor is None else tensor.detach().tolist()

    return {
        "weights and buffers": {name: plain(t) for name, t in model.state_dict().items()},
        "gradients": {name: plain(p.grad) for name, p in model.named_parameters()},
        "requires_grad": {name: p.requires_grad for name, p in model.named_parameters()},
        "the mode of a module": [module.training for module in model.modules()],
        "the batch": [plain(batch), batch.requires_grad, plain(batch.grad)],
        "the random state": torch.get_rng_state().tolist(),
    }
