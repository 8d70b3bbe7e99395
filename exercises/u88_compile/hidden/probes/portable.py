"""portable_state on models that are compiled as a whole, in parts, or not at all."""

from __future__ import annotations

from typing import Any


def _model(seed: int) -> Any:
    """Return a model with buffers and with a name that only looks like the compiler's."""
    import torch
    from torch import nn

    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.my_orig_mod = nn.Linear(3, 3)
            self.norm = nn.BatchNorm1d(3)
            self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
            self.register_buffer("_orig_mod_scale", torch.ones(2))

        def forward(self, x: Any) -> Any:
            return self.body(self.norm(self.my_orig_mod(x))) * self._orig_mod_scale

    torch.manual_seed(seed)
    return Named()


def portable(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Save a model that is compiled somewhere, load what was saved into a plain one."""
    import torch

    model, plain = _model(case["seed"]), _model(case["seed"] + 1)
    values = {name: value.clone() for name, value in model.state_dict().items()}
    for number in case["parts"]:
        model.body[number] = torch.compile(model.body[number], backend="eager")
    if case["inside"]:
        model.body = torch.compile(model.body, backend="eager")
    if case["whole"]:
        model = torch.compile(model, backend="eager")
    before = list(model.state_dict())
    state = stage.portable_state(model)
    told: dict[str, Any] = {"names": list(state), "wanted": list(values),
                            "kept": list(model.state_dict()) == before}  # fmt: skip
    try:
        plain.load_state_dict(state)
    except RuntimeError as error:
        return told | {"problem": str(error).splitlines()[-1].strip()}
    loaded = plain.state_dict()
    told["different"] = [name for name in values if not torch.equal(loaded[name], values[name])]
    return told
