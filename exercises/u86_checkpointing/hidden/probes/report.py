"""recompute_report and step_differences on models of the case."""

from __future__ import annotations

import math
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

    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 3.0)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    torch.manual_seed(case["seed"])
    state = torch.get_rng_state()
    stopped = {} if case["early_stop"] is None else {"early_stop": case["early_stop"]}
    report = stage.recompute_report(model, x, case["segments"], meter, **stopped)
    after = model.state_dict()
    parameters = list(model.parameters())
    changed = {
        "its weights or buffers": any(not torch.equal(before[k], after[k]) for k in before),
        "its gradients": any(p.grad is None or bool((p.grad != 3).any()) for p in parameters),
        "its hooks": any(m._forward_pre_hooks or m._forward_hooks for m in model.modules()),
        "torch's generator": not torch.equal(state, torch.get_rng_state()),
    }
    changed["what its blocks compute"] = False
    from torch.utils.checkpoint import checkpoint

    stops = _stops_early(checkpoint)
    return {
        "report": report,
        "changed": sorted(name for name, is_so in changed.items() if is_so),
        "early_stop_on": stops,
        "ledgers": len(made),
    }


def _stops_early(checkpoint: Any) -> bool:
    """Whether a second run that needs nothing more ends early, as it does by default."""
    import torch

    runs = []

    def block(x: Any) -> Any:
        y = x.exp()
        runs.append(1)
        return y + 1

    checkpoint(block, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
    return len(runs) == 1


def _change(name: str, case: dict[str, Any]) -> Any:
    """Return ``make()`` of the model of the case with one thing changed."""
    import torch
    from torch import nn

    class Changed(nn.Module):
        """The model under another name, and perhaps with a change."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = make_model(case)
            inner = self.inner
            if name == "scaled gradient":
                inner[1][0].weight.register_hook(lambda g: g * (1 + 2.0**-20))
            if name == "no gradient":
                inner[0][-1].bias.requires_grad_(False)
            if name == "zero gradient":
                inner[0][-1].bias.register_hook(torch.zeros_like)

        def forward(self, x: Any) -> Any:
            if name == "draws more":
                torch.rand(3)
            if name == "input cut":
                x = x.detach()
            if name == "input scaled":
                x.register_hook(lambda g: g * 2)
            if name == "draws later":
                y = self.inner(x)
                torch.rand(3)
                return y
            y = self.inner(x)
            if name == "output shifted":
                return y + (torch.ones_like(y) * 2.0**-10).detach()
            if name == "other dtype":
                return y.double()
            if name == "other shape":
                return y.unsqueeze(0)
            if name == "NaN elsewhere":
                return y + torch.where(torch.arange(y.shape[-1]) == 1, torch.nan, 0.0)
            if name == "buffers twice":
                with torch.random.fork_rng(devices=[]), torch.no_grad():
                    self.inner(x)
            return y

    class Fewer(nn.Sequential):
        pass

    if name == "fewer":
        return lambda: Fewer(*list(make_model(case))[:-1])
    return Changed


def compared(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare the model with each changed one; return what was named, or the error."""
    import torch

    x = make_input(case)
    plain_case = dict(case)
    before = x.detach().clone()
    torch.manual_seed(case["seed"])
    torch.rand(3)
    state = torch.get_rng_state()
    answers: dict[str, Any] = {}
    for name in case["changes"]:
        base = {**plain_case, **({"no_bias_grad": True} if name == "zero or missing" else {})}
        try:
            answers[name] = stage.step_differences(
                lambda base=base: make_model(base), _change(name, case), x, seed=case["seed"]
            )
        except NotImplementedError:
            raise
        except ValueError:
            answers[name] = ["ValueError"]
    same = torch.equal(torch.nan_to_num(before), torch.nan_to_num(x.detach()))
    names = make_model(case)
    return {
        "answers": answers,
        "untouched": same and x.grad is None,
        "moved": not torch.equal(state, torch.get_rng_state()),
        "parameters": [name for name, _ in names.named_parameters()],
        "buffers": [name for name, _ in names.named_buffers()],
        "finite": bool(math.isfinite(float(before.sum()))),
    }
