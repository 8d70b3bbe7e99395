"""Models with a fault put at a place of the check's choice."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, ClassVar, NamedTuple

import torch
from torch import nn


class Spoil(nn.Module):
    """Writes values into a copy of what comes in; at one of its calls, or at each."""

    def __init__(self, entries: list[Any], call: int | None = None) -> None:
        super().__init__()
        self.entries, self.call, self.calls = entries, call, 0

    def forward(self, x: Any) -> Any:
        """Return the spoiled copy."""
        number, self.calls = self.calls, self.calls + 1
        y = x.clone()
        for index, value in self.entries if self.call in (None, number) else ():
            y[tuple(index)] = value
        return y


class Full(nn.Module):
    """Gives out one value everywhere, in the shape and dtype of what comes in."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: Any) -> Any:
        """Return the value."""
        return torch.full_like(x, self.value)


class Columns(nn.Module):
    """Gives out the transpose of a spoiled copy: its rows do not lie one after another."""

    def __init__(self, entries: list[Any]) -> None:
        super().__init__()
        self.spoil = entries

    def forward(self, x: Any) -> Any:
        """Return a view whose entries are spoiled by their index in the view."""
        y = x.clone().t().contiguous().t()
        for index, value in self.spoil:
            y[tuple(index)] = value
        return y


class Mask(nn.Module):
    """Fills -inf above the diagonal of the last two dimensions."""

    def forward(self, x: Any) -> Any:
        """Return the masked scores."""
        keep = torch.ones(x.shape[-2:], dtype=torch.bool).tril()
        return x.masked_fill(~keep, -torch.inf)


class Mean(nn.Module):
    """Gives out one number, a tensor without dimensions."""

    def forward(self, x: Any) -> Any:
        """Return the mean."""
        return x.mean()


class Pair(NamedTuple):
    """A tuple whose items have names."""

    value: Any
    number: int


class Split(nn.Module):
    """Gives out nested lists, tuples and dicts: whole numbers, then three tensors.

    Number `bad` of the three is spoiled.
    """

    def __init__(self, shape: str, bad: int, entries: list[Any]) -> None:
        super().__init__()
        self.shape, self.bad = shape, bad
        self.writers = [Spoil(entries)]  # in a list, so that this module stays a leaf

    def forward(self, x: Any) -> Any:
        """Return four tensors and things that are none."""
        parts = [self.writers[0](x) if number == self.bad else x + number for number in range(3)]
        first, second, third = parts
        whole = torch.zeros(x.shape, dtype=torch.long)
        if self.shape == "tuple":
            return whole, first, None, Pair(second, 3), third
        if self.shape == "list":
            return [whole, first, [second, third], "text"]
        return {"whole": whole, "z": first, "n": 1, "a": OrderedDict(deep=second, flat=[third])}


class Join(nn.Module):
    """Takes what `Split` gives out, by name, and returns a tensor."""

    def forward(self, *, parts: Any) -> Any:
        """Return the sum of the tensors at the top."""
        items = parts.values() if isinstance(parts, dict) else parts
        return sum(item for item in items if isinstance(item, torch.Tensor))


class Ticks(nn.Module):
    """Counts its calls in a buffer that is not part of the state dict."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("ticks", torch.zeros(()), persistent=False)
        self.register_buffer("unused", None)

    def forward(self, x: Any) -> Any:
        """Return what comes in."""
        self.ticks.add_(1)
        return x


class Fail(nn.Module):
    """Raises."""

    def forward(self, x: Any) -> Any:
        """Raise a RuntimeError."""
        raise RuntimeError("the model itself fails")


class Between(nn.Module):
    """Computes something itself, then calls its child."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        """Return the child's output for the logarithm of what comes in."""
        return self.inner((x - x.amax() - 1).log())


class Gather(nn.Module):
    """Computes something itself, then calls its child with it in a named, nested argument."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Join()

    def forward(self, x: Any) -> Any:
        """Return the child's output for the logarithm of what comes in, and for itself."""
        return self.inner(parts={"kept": x, "logs": (x - x.amax() - 1).log()})


class Box(nn.Module):
    """A container with one child."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the child."""
        return self.inner(*args, **kwargs)


class Plan(nn.Module):
    """Runs its children in the order of a plan, which is not that of their registration.

    Attributes:
        plan: Names to run, in order; one may be run several times.
        recorded: For each run of this model or a copy of it, whether gradients were recorded.
    """

    recorded: ClassVar[list[bool]] = []

    def __init__(self, modules: dict[str, nn.Module], plan: list[str]) -> None:
        super().__init__()
        for name, module in modules.items():
            self.add_module(name, module)
        self.plan = plan

    def forward(self, x: Any, scale: Any = None) -> Any:
        """Run the plan."""
        self.recorded.append(torch.is_grad_enabled())
        if scale is not None:
            x = x * scale
        for name in self.plan:
            module = getattr(self, name)
            x = module(parts=x) if isinstance(module, Join) else module(x)
        return x


def make(kind: str, options: dict[str, Any]) -> nn.Module:
    """Return one module by its kind."""
    width = options.get("width", 4)
    simple = {
        "relu": nn.ReLU,
        "relu in place": lambda: nn.ReLU(inplace=True),
        "tanh": nn.Tanh,
        "dropout": nn.Dropout,
        "norm": lambda: nn.BatchNorm1d(width),
        "softmax": lambda: nn.Softmax(-1),
        "hardtanh in place": lambda: nn.Hardtanh(inplace=True),
        "identity": nn.Identity,
        "linear": lambda: nn.Linear(width, width),
        "mask": Mask,
        "mean": Mean,
        "join": Join,
        "fail": Fail,
        "ticks": Ticks,
        "gather": Gather,
        "between": lambda: Between(width),
        "spoil": lambda: Spoil(options["entries"], options.get("call")),
        "columns": lambda: Columns(options["entries"]),
        "full": lambda: Full(options["value"]),
        "split": lambda: Split(options["shape"], options["bad"], options["entries"]),
        "wide linear": lambda: wide_linear(width),
    }
    module = simple[kind]()
    return Box(module) if options.get("boxed") else module


def wide_linear(width: int) -> nn.Module:
    """Return a float16 layer whose output for ones is just above what float16 holds."""
    layer = nn.Linear(width, width, bias=False).half()
    with torch.no_grad():
        layer.weight.fill_(66247.0 / width)
    return layer


def build(case: dict[str, Any]) -> Plan:
    """Return the model of a case: its ``modules`` (name, kind, options) and its ``plan``.

    ``alias`` gives modules a second name, ``evaluated`` names those that are in evaluation mode
    whatever the model is in.
    """
    torch.manual_seed(case.get("seed", 0))
    modules = {name: make(kind, options) for name, kind, options in case["modules"]}
    Plan.recorded.clear()
    model = Plan(modules, case.get("plan", [name for name, _, _ in case["modules"]]))
    for name, other in case.get("alias", {}).items():
        model.add_module(name, modules[other])
    if case.get("half"):
        model.half()
    model.train(case.get("train", True))
    for name in case.get("evaluated", []):
        modules[name].eval()
    return model
