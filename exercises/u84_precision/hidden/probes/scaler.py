"""Probes of 8.4.g: the student's scaler driven through a script, and torch's beside it."""

from __future__ import annotations

from copy import copy
from typing import Any

from .handed import answer_of, copied, given_as, same


def scaler_script(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Make a scaler, drive it through a list of calls, and log what each gave and left."""
    made = answer_of(stage.LossScaler, **case["options"])
    log = [{key: made[key] for key in ("raised", "message") if key in made}]
    if "raised" in made:
        return log
    scaler, unscaled, saved = made["value"], None, {}
    for name, *arguments in case["script"]:
        applied: list[Any] = []
        given = [given_as(argument) for argument in arguments]
        before = copied(given)
        if name == "step":
            what = unscaled if arguments == ["what unscale returned"] else given[0]
            seen = answer_of(
                scaler.step, what, lambda found, kept=applied: kept.append(list(found))
            )
        elif name in ("unscale", "update", "scale_loss"):
            seen = answer_of(getattr(scaler, name), *given)
            if name == "unscale" and isinstance(seen.get("value"), list | tuple):
                unscaled = list(seen["value"])
        elif name == "iterate":
            seen = answer_of(_iterate, scaler, *given)
        elif name == "save":
            seen = answer_of(scaler.state_dict)
            saved = seen.get("value")
        elif name == "saved":
            seen = {"value": saved}
        elif name == "load":
            scaler = stage.LossScaler(**case["options"])
            seen = answer_of(scaler.load_state_dict, saved)
        else:
            raise ValueError(name)
        # a dict may change after this call
        seen["value"] = copy(seen.get("value"))
        seen["applied"] = applied
        seen["kept"] = same(before, given)
        seen["scale"], seen["growth_tracker"] = scaler.scale, scaler.growth_tracker
        log.append(seen)
    return log


def _iterate(scaler: Any, gradients: list[Any], times: int) -> None:
    """Run good iterations one after the other."""
    for _ in range(times):
        scaler.step(gradients, lambda found: None)
        scaler.update()


def torch_scaler(stage: Any, case: dict[str, Any]) -> list[list[float]]:
    """Run torch's own scaler over a sequence of good and bad iterations."""
    import torch

    parameter = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([parameter], 0.1)
    scaler = torch.amp.GradScaler("cpu", **case["options"])
    seen = []
    for bad in case["bad"]:
        optimizer.zero_grad()
        scaler.scale(parameter.sum()).backward()
        if bad:
            parameter.grad.fill_(case["value"])
        scaler.step(optimizer)
        scaler.update()
        seen.append([scaler.get_scale(), scaler.state_dict()["_growth_tracker"]])
    return seen
