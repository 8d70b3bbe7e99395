"""Probes of 8.4.j, l and m: dtypes of a run, what a cast loses, and configurations."""

from __future__ import annotations

import warnings
from typing import Any

from .formats import mlp
from .handed import answer_of, backward_recorder, device_of, dtype_of


def _mapped_model(case: dict[str, Any]) -> tuple[Any, Any]:
    """Return a model of many kinds of modules and the list that its forwards note things in."""
    import torch
    from torch import nn

    width, classes = case["width"], case["classes"]
    recorder = backward_recorder()

    class Pair(nn.Module):
        """Leaf that returns a tuple: a float32 sum first, its input second."""

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("unsaved", torch.ones(()), persistent=False)
            self.register_buffer("filled", None)

        def forward(self, x: Any) -> Any:
            if case.get("moves"):
                self.unsaved.mul_(0.5)
            if case.get("assigns"):
                self.filled = x.detach().float().mean()
            return x.float().cumsum(-1), x

    class Model(nn.Module):
        """Uses one module twice, has a container, a frozen layer and a layer that never runs."""

        def __init__(self) -> None:
            super().__init__()
            self.block = nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())
            self.twice = nn.Identity()
            self.pair = Pair()
            self.frozen = nn.Linear(width, width).requires_grad_(False)
            self.idle = nn.Linear(width, 3)
            self.soft = nn.Softmax(-1)
            self.head = nn.Linear(width, classes)
            self.register_buffer("running", torch.ones(()))
            self.register_buffer("anew", torch.ones(()))

        def forward(self, x: Any) -> Any:
            if case.get("moves"):
                self.running.mul_(0.5)
            if case.get("assigns"):
                self.anew = self.anew * 0.9 + 0.1 * x.mean()
            x = self.twice(self.block(x))
            x = self.twice(self.pair(x)[0])
            logits = self.head(self.soft(self.frozen(x)))
            if case.get("fails"):
                raise KeyError("inside the forward")
            return recorder.apply(logits)

    return Model(), recorder


def _buffers_of(model: Any) -> dict[str, Any]:
    """Return the buffers of a model by name, those that are None included."""
    return {
        f"{path}.{name}".lstrip("."): buffer
        for path, module in model.named_modules()
        for name, buffer in module._buffers.items()
    }


def mapped(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make a map of a model's dtypes; say what was left on the model."""
    import torch

    torch.manual_seed(case["seed"])
    model, recorder = _mapped_model(case)
    model.train(case["training"])
    for module in (model.block, model.soft):
        module.train(not case["training"])
    modes = {name: module.training for name, module in model.named_modules()}
    buffers = _buffers_of(model)
    values = {name: None if b is None else float(b) for name, b in buffers.items()}
    model.head.weight.grad = torch.full_like(model.head.weight, 3.0)
    x, y = torch.randn(4, case["width"]), torch.zeros(4, dtype=torch.long)
    answer = answer_of(stage.dtype_map, model, x, y, device_of(case), dtype_of(case))
    after = _buffers_of(model)
    hooks = sum(
        len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks)
        for module in model.modules()
    )
    return {
        **answer,
        "hooks": hooks,
        "modes": [n for n, module in model.named_modules() if module.training != modes[n]],
        "old_grad": bool((model.head.weight.grad == 3.0).all()),
        "new_grads": [n for n, p in model.named_parameters() if p.grad is not None],
        "backward_in_autocast": any(recorder.seen),
        "replaced": sorted(n for n in buffers | after if buffers.get(n) is not after.get(n)),
        "moved": [n for n, b in buffers.items() if b is not None and float(b) != values[n]],
        "dtypes": sorted({str(p.dtype) for p in model.parameters()}),
    }


def mapped_alone(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make a map of a single layer."""
    import torch

    layer = torch.nn.Linear(case["width"], case["classes"])
    x, y = torch.randn(4, case["width"]), torch.zeros(4, dtype=torch.long)
    return answer_of(stage.dtype_map, layer, x, y, device_of(case), dtype_of(case))


def mapped_by_hand(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run that model's operators one after the other and write their dtypes down."""
    import torch
    from torch.nn import functional as F

    model, _ = _mapped_model(case)
    x, seen = torch.randn(4, case["width"]), {}
    with torch.autocast("cpu", dtype=dtype_of(case)):
        for name in ("0", "1", "2"):
            x = model.block[int(name)](x)
            seen[f"block.{name}"] = x
        seen["pair"] = x = x.float().cumsum(-1)
        seen["twice"] = x
        seen["frozen"] = x = F.linear(x, model.frozen.weight, model.frozen.bias)
        seen["soft"] = x = x.softmax(-1)
        seen["head"] = x = F.linear(x, model.head.weight, model.head.bias)
        loss = F.cross_entropy(x, torch.zeros(4, dtype=torch.long))
    loss.backward()
    text = lambda tensor: str(tensor.dtype).removeprefix("torch.")  # noqa: E731
    return {
        "modules": {name: text(tensor) for name, tensor in seen.items()},
        "parameters": {name: text(p) for name, p in model.named_parameters()},
        "logits": text(x),
        "loss": text(loss),
        "gradients": {
            name: text(p.grad) for name, p in model.named_parameters() if p.grad is not None
        },
    }


def mapped_on_cuda(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Map a small model on a GPU; say so if there is none."""
    import torch
    from torch import nn

    if not torch.cuda.is_available():
        return {"cuda": False}
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Softmax(-1), nn.Linear(8, 4)).cuda()
    x, y = torch.randn(4, 8, device="cuda"), torch.zeros(4, dtype=torch.long, device="cuda")
    return {"cuda": True, "map": stage.dtype_map(model, x, y, "cuda", torch.float16)}


def _tensors(case: dict[str, Any]) -> dict[str, Any]:
    """Return the gradients of a case: arrays, None, and what does not travel."""
    import torch

    made: dict[str, Any] = {}
    for name, array in case["gradients"].items():
        if array is None:
            made[name] = None
            continue
        tensor = torch.from_numpy(array.copy())
        made[name] = tensor.t() if name.endswith("transposed") else tensor
    if "cast" in case:
        made = {name: g.to(getattr(torch, case["cast"])) for name, g in made.items()}
    if case.get("expanded"):
        made["expanded"] = torch.full((1,), case["expanded"]).expand(5)
    return made


def needed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask what a dtype would do to gradients, and whether they were left alone."""
    import torch

    gradients = _tensors(case)
    before = {name: None if g is None else g.clone() for name, g in gradients.items()}
    answer = answer_of(stage.needs_scaler, gradients, dtype_of(case), **case.get("named", {}))
    kept = gradients.keys() == before.keys() and all(
        (before[name] is None and g is None)
        or torch.equal(g.double().nan_to_num(), before[name].double().nan_to_num())
        for name, g in gradients.items()
    )
    return {**answer, "kept": kept}


def lost_in_a_run(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a model in float32 and in float16, scaled or not, and count the zeros that are new."""
    import torch
    from torch.nn import functional as F

    torch.manual_seed(case["seed"])
    first = mlp([16, 32, 32, 4])
    x, y = torch.randn(32, 16), torch.randint(4, (32,))
    true = _gradients(first, F.cross_entropy(first(x), y) * case["factor"])
    answer = stage.needs_scaler(dict(true), torch.float16, scale=case["scale"])
    low = mlp([16, 32, 32, 4]).half()
    low.load_state_dict(first.state_dict())
    # the gradients of the last layer, whose chain has one product only
    logits = low(x.half())
    loss = F.cross_entropy(logits.float(), y) * case["factor"] * case["scale"]
    found = _gradients(low, loss)
    last = [name for name in true if name.startswith("4.")]
    lost = sum(int(((found[n] == 0) & (true[n] != 0)).sum()) for n in last)
    alone = stage.needs_scaler({n: true[n] for n in last}, torch.float16, scale=case["scale"])
    return {
        "all": answer,
        "last": alone,
        "lost": lost / sum(int((true[n] != 0).sum()) for n in last),
        "true": {name: g.numpy() for name, g in true.items()},
    }


def _gradients(model: Any, loss: Any) -> dict[str, Any]:
    import torch

    names, parameters = zip(*model.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss, parameters), strict=True))


# 8.4.m check_amp_config


def configured(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Check a list of configurations; each is made here."""
    import torch
    from torch import nn

    answers = []
    for one in case["configurations"]:
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2), nn.Linear(2, 2))
        if "half" in one:
            model[one["half"]].to(getattr(torch, one["half_dtype"]))
        if "frozen" in one:
            model[one["frozen"]].requires_grad_(False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scaler = {
                "none": lambda: None,
                "cpu": lambda: torch.amp.GradScaler("cpu"),
                "disabled": lambda: torch.amp.GradScaler("cpu", enabled=False),
                "default": torch.amp.GradScaler,
            }[one["scaler"]]()
        answer = answer_of(stage.check_amp_config, model, scaler, device_of(one), dtype_of(one))
        answers.append(answer)
    return answers


def machine(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Say which accelerator this machine has, and what torch makes of a scaler without device."""
    import torch

    accelerator = torch.accelerator.current_accelerator()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        enabled = torch.amp.GradScaler().is_enabled()
    return {"accelerator": accelerator.type if accelerator else None, "default_enabled": enabled}
