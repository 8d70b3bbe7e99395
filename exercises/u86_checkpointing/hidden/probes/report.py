"""recompute_report and step_differences on models of the case."""

from __future__ import annotations

from typing import Any

from .models import make_input, make_model


def reported(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Report on a model that has gradients already; return the report and what was changed."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    model, x = make_model(case), make_input(case)
    made = []

    def meter() -> Any:
        made.append(LiveBytes())
        return made[-1]

    for parameter in list(model.parameters())[::2]:  # the others have none
        parameter.grad = torch.full_like(parameter, 3.0)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    modes = [module.training for module in model.modules()]
    torch.manual_seed(case["seed"])
    state = torch.get_rng_state()
    stopped = {} if case["early_stop"] is None else {"early_stop": case["early_stop"]}
    report = stage.recompute_report(model, x, case["segments"], meter, **stopped)
    after = model.state_dict()
    held, none = list(model.parameters())[::2], list(model.parameters())[1::2]
    everywhere = torch.nn.modules.module
    changed = {
        "its weights or buffers": any(not torch.equal(before[k], after[k]) for k in before),
        "its gradients": any(p.grad is None or bool((p.grad != 3).any()) for p in held)
        or any(p.grad is not None for p in none),
        "its mode": modes != [module.training for module in model.modules()],
        "its hooks": any(m._forward_pre_hooks or m._forward_hooks for m in model.modules()),
        "hooks of all modules": bool(
            everywhere._global_forward_pre_hooks or everywhere._global_forward_hooks
        ),
        "torch's generator": not torch.equal(state, torch.get_rng_state()),
    }
    changed["the setting of early stop"] = not _stops_early()
    return {
        "report": report,
        "changed": sorted(name for name, is_so in changed.items() if is_so),
        "ledgers": len(made),
    }


def _stops_early() -> bool:
    """Whether a second run that needs nothing more ends early, as it does by default."""
    import torch
    from torch.utils.checkpoint import checkpoint

    runs = []

    def block(x: Any) -> Any:
        y = x.exp()
        runs.append(1)
        return y + 1

    checkpoint(block, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
    return len(runs) == 1


def _maker(name: str, case: dict[str, Any]) -> Any:
    """Return ``make()`` of the model of the case, with what is named changed."""
    import torch
    from torch import nn

    def shifted(y: Any) -> Any:
        return y + torch.full_like(y, 2.0**-10)

    def nan_in_a_column(y: Any) -> Any:
        return y + torch.where(torch.arange(y.shape[-1]) == 1, torch.nan, 0.0)

    def infinite_in_a_column(y: Any, sign: int = 1) -> Any:
        return y + torch.where(torch.arange(y.shape[-1]) == 1, sign * torch.inf, 0.0)

    outputs = {
        "output shifted": shifted,
        "other dtype": lambda y: y.double(),
        "other shape": lambda y: y.unsqueeze(0),
        "NaN in a column": nan_in_a_column,
        "inf in a column": infinite_in_a_column,
        "-inf in a column": lambda y: infinite_in_a_column(y, -1),
    }

    changes = name.split(" and ")

    class Changed(nn.Module):
        """The model one name deeper, with a change."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = make_model(case)
            if "drawn in the making" in changes:
                torch.rand(7)
            if "one more buffer" in changes:
                self.register_buffer("more", torch.zeros(2))
            if "scaled gradient" in changes:
                self.inner[1][0].weight.register_hook(lambda g: g * (1 + 2.0**-20))
            if "no gradient" in changes:
                self.inner[0][-1].bias.requires_grad_(False)
            if "zero gradient" in changes:
                self.inner[0][-1].bias.register_hook(torch.zeros_like)

        def forward(self, x: Any) -> Any:
            if "input zeroed" in changes:
                x.register_hook(torch.zeros_like)
            if "writes into its input" in changes:
                x.detach().mul_(0.5)
            if "input cut" in changes:
                x = x.detach()
            if "input scaled" in changes:
                x.register_hook(lambda g: g * 2)
            y = self.inner(x)
            if "draws later" in changes:
                torch.rand(3)
            if "draws in the backward" in changes:
                y.register_hook(lambda g: (torch.rand(3), g)[1])
            if "buffers in the backward" in changes:
                y.register_hook(self.moved)
            if "buffers twice" in changes:
                with torch.random.fork_rng(devices=[]), torch.no_grad():
                    self.inner(x)
            for change in changes:
                y = outputs.get(change, lambda y: y)(y)
            return y

        def moved(self, gradient: Any) -> Any:
            """Move every buffer; leave the gradient."""
            for buffer in self.inner.buffers():
                buffer.data.add_(1)  # unnoticed by what the graph has saved
            return gradient

    if name == "same":
        return lambda: make_model(case)
    if name == "fewer":
        return lambda: make_model(case)[:-1]
    return Changed


def compared(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare pairs of models; return what was named, or the error's classes."""
    import torch

    x = make_input(case)
    before = x.detach().clone()
    torch.manual_seed(case["seed"])
    torch.rand(3)
    state = torch.get_rng_state()
    answers, seeds = [], set()

    def noted(name: str) -> Any:
        def make() -> Any:
            model = _maker(name, case)()
            model.register_forward_pre_hook(lambda *_: seeds.add(torch.initial_seed()))
            return model

        return make

    for plain, other in case["pairs"]:
        try:
            answer = stage.step_differences(noted(plain), noted(other), x, seed=case["seed"])
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            answer = {"raised": [kind.__name__ for kind in type(error).__mro__]}
        answers.append(answer)
    model = make_model(case)
    return {
        "answers": answers,
        "seeds": sorted(seeds),
        "untouched": torch.equal(before.nan_to_num(), x.detach().nan_to_num()) and x.grad is None,
        "moved": not torch.equal(state, torch.get_rng_state()),
        "buffers": [name for name, _ in model.named_buffers()],
    }
