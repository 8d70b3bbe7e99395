"""Probes of unit 8.4: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read this file too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

# What one call left behind.


def _given(argument: Any) -> Any:
    """Return an argument as it is handed in: some layouts do not travel and are made here."""
    import numpy as np

    if not isinstance(argument, dict) or "layout" not in argument:
        return argument
    data, layout = np.asarray(argument["data"]), argument["layout"]
    if layout == "bits of float32":
        return data.astype(np.uint32).view(np.float32)
    if layout == "bits of float32, every second one":
        wide = np.zeros(2 * data.size, dtype=np.uint32)
        wide[::2] = data
        return wide.view(np.float32)[::2]
    if layout == "transposed":
        return np.ascontiguousarray(data.T).T
    if layout == "no dimension":
        return data.reshape(())
    if layout == "backwards":
        return data[::-1].copy()[::-1]
    raise ValueError(layout)


def _copied(value: Any) -> Any:
    """Return a deep copy of arguments, to compare with afterwards."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.copy()
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _same(one: Any, other: Any) -> bool:
    """Whether arguments are still what they were, bit for bit."""
    import numpy as np

    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return repr(one) == repr(other)


def _answer(function: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
    """Call a function; a stub's error is let through, so that it counts as not attempted."""
    try:
        return {"value": function(*arguments, **named)}
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return {
            "raised": [kind.__name__ for kind in type(error).__mro__],
            "message": str(error)[:300],
        }


def calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function of the NumPy stage many times; say whether it kept its arguments."""
    function, answers = getattr(stage, case["function"]), []
    for arguments, named in case["calls"]:
        given = [_given(argument) for argument in arguments]
        before = _copied(given)
        answer = _answer(function, *given, **named)
        answer["kept"] = _same(before, given)
        answers.append(answer)
    return answers


# 8.4.g LossScaler


def scaler_script(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Make a scaler, drive it through a list of calls, and log what each gave and left."""
    made = _answer(stage.LossScaler, **case["options"])
    log = [{key: made[key] for key in ("raised", "message") if key in made}]
    if "raised" in made:
        return log
    scaler, unscaled = made["value"], None
    for name, *arguments in case["script"]:
        applied: list[Any] = []
        given = [_given(argument) for argument in arguments]
        before = _copied(given)
        if name == "step":
            what = unscaled if arguments == ["what unscale returned"] else given[0]
            seen = _answer(scaler.step, what, lambda found, kept=applied: kept.append(list(found)))
        elif name in ("unscale", "update", "scale_loss"):
            seen = _answer(getattr(scaler, name), *given)
            if name == "unscale" and isinstance(seen.get("value"), list | tuple):
                unscaled = list(seen["value"])
        elif name == "resume":
            state = scaler.state_dict()
            scaler = stage.LossScaler(**case["options"])
            seen = _answer(scaler.load_state_dict, state)
            seen["value"] = dict(state)
        else:
            raise ValueError(name)
        seen["applied"] = applied
        seen["kept"] = _same(before, given)
        seen["scale"], seen["growth_tracker"] = scaler.scale, scaler.growth_tracker
        log.append(seen)
    return log


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


# What torch says about formats


def torch_decode(stage: Any, case: dict[str, Any]) -> Any:
    """Return the float64 values of bit patterns of one of torch's dtypes."""
    import torch

    dtype = getattr(torch, case["dtype"])
    bits = torch.tensor(case["bits"], dtype=torch.int64)
    whole = bits.to(torch.uint8) if dtype.itemsize == 1 else bits.to(torch.uint16)
    return whole.view(dtype).double().numpy()


def torch_round(stage: Any, case: dict[str, Any]) -> Any:
    """Return float32 bit patterns after a trip through one of torch's dtypes, as float64."""
    import torch

    values = torch.from_numpy(_given(case["values"]).copy())
    return values.to(getattr(torch, case["dtype"])).double().numpy()


def torch_limits(stage: Any, case: dict[str, Any]) -> dict[str, float]:
    """Return what torch.finfo says."""
    import torch

    info = torch.finfo(getattr(torch, case["dtype"]))
    return {
        "max": info.max, "smallest_normal": info.smallest_normal, "eps": info.eps,
        "smallest_subnormal": info.smallest_normal * info.eps,
    }  # fmt: skip


def torch_low_precision_sgd(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Train weights of a torch dtype in place, and a float32 copy beside them."""
    import torch

    plain = torch.tensor(case["weights"]).to(getattr(torch, case["dtype"]))
    master, lost = torch.tensor(case["weights"]), 0
    for gradient in case["gradients"]:
        change = case["lr"] * torch.tensor(gradient)
        before = plain.clone()
        plain.sub_(change)
        master.sub_(change)
        lost += int(((plain == before) & (change != 0)).sum())
    return {
        "plain": plain.float().numpy(),
        "master": master.numpy(),
        "weights": master.to(plain.dtype).float().numpy(),
        "lost": lost,
    }


def _mlp(widths: list[int]) -> Any:
    import torch

    layers: list[Any] = []
    for number, (wide, high) in enumerate(zip(widths, widths[1:], strict=False)):
        layers += [torch.nn.ReLU()] if number else []
        layers.append(torch.nn.Linear(wide, high))
    return torch.nn.Sequential(*layers)


def live_forward(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count the bytes that a forward of an mlp leaves alive, with and without autocast."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    seen = {}
    for name, enabled in (("fp32", False), ("bf16", True)):
        model = _mlp(case["widths"])
        x = torch.ones(case["batch"], case["widths"][0])
        y = torch.zeros(case["batch"], dtype=torch.long)
        with LiveBytes() as ledger:
            ledger.track(model, x, y)
            before = ledger.live
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
                loss = torch.nn.functional.cross_entropy(model(x), y)
            seen[name] = ledger.live - before
        del loss
    return seen


# The PyTorch stage: what has to be as it was afterwards


def _settings() -> dict[str, str]:
    """Return settings of this process that change what other code computes."""
    import torch

    return {
        "anomaly detection": str(torch.is_anomaly_enabled()),
        "autocast": str([torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda")]),
        "autocast's cache": str(torch.is_autocast_cache_enabled()),
        "autocast's dtype": str(torch.get_autocast_dtype("cpu")),
        "default dtype": str(torch.get_default_dtype()),
        "gradients": str(torch.is_grad_enabled()),
    }


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Collect what would have been warned about autocast and scalers."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    found += [
        str(one.message)[:120]
        for one in caught
        if any(word in str(one.message) for word in ("autocast", "Autocast", "GradScaler"))
    ]


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer, settings that were left changed, and warnings."""
    before = _settings()
    with _heard() as heard:
        value = globals()[case["probe"]](stage, case)
    after = _settings()
    changed = [name for name, setting in before.items() if after[name] != setting]
    return {"value": value, "changed": changed, "warnings": heard}


def _dtype(case: dict[str, Any]) -> Any:
    import torch

    return getattr(torch, case.get("dtype", "float16"))


# 8.4.j dtype_map


def _recorder() -> Any:
    """Return an autograd function that notes what is on during its backward."""
    import torch

    class Recorder(torch.autograd.Function):
        """Identity that notes whether autocast is on while its backward runs."""

        seen: list[Any] = []  # noqa: RUF012

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            Recorder.seen.append(torch.is_autocast_enabled("cpu"))
            return grad

    return Recorder


def _mapped_model(case: dict[str, Any]) -> tuple[Any, Any]:
    """Return a model of many kinds of modules and the list that its forwards note things in."""
    import torch
    from torch import nn

    width, classes = case["width"], case["classes"]
    recorder = _recorder()

    class Pair(nn.Module):
        """Leaf that returns a tuple: a float32 sum first, its input second."""

        def forward(self, x: Any) -> Any:
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
            self.autocast: list[bool] = []

        def forward(self, x: Any) -> Any:
            self.autocast.append(torch.is_autocast_enabled("cpu"))
            x = self.twice(self.block(x))
            x = self.twice(self.pair(x)[0])
            logits = self.head(self.soft(self.frozen(x)))
            if case.get("fails"):
                raise KeyError("inside the forward")
            return recorder.apply(logits)

    return Model(), recorder


def mapped(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make a map of a model's dtypes; say what was left on the model."""
    import torch

    torch.manual_seed(case["seed"])
    model, recorder = _mapped_model(case)
    model.train(case["training"])
    model.head.weight.grad = torch.full_like(model.head.weight, 3.0)
    x, y = torch.randn(4, case["width"]), torch.zeros(4, dtype=torch.long)
    answer = _answer(stage.dtype_map, model, x, y, case.get("device", "cpu"), _dtype(case))
    hooks = sum(
        len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks)
        for module in model.modules()
    )
    # a copy of the model may have run instead, which notes things in its own list
    return {
        **answer,
        "hooks": hooks,
        "training": all(module.training == case["training"] for module in model.modules()),
        "old_grad": bool((model.head.weight.grad == 3.0).all()),
        "new_grads": [n for n, p in model.named_parameters() if p.grad is not None],
        "backward_in_autocast": any(recorder.seen),
        "dtypes": sorted({str(p.dtype) for p in model.parameters()}),
    }


def mapped_by_hand(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run that model's operators one after the other and write their dtypes down."""
    import torch
    from torch.nn import functional as F

    model, _ = _mapped_model(case)
    x, seen = torch.randn(4, case["width"]), {}
    with torch.autocast("cpu", dtype=_dtype(case)):
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


# 8.4.k amp_step


def _scaler(case: dict[str, Any], log: list[str]) -> Any:
    """Return a real scaler that notes the calls that are made of it."""
    import torch

    class Scaler(torch.amp.GradScaler):
        """Torch's scaler with a log."""

        def scale(self, outputs: Any) -> Any:
            log.append("scale")
            return super().scale(outputs)

        def unscale_(self, optimizer: Any) -> None:
            log.append("unscale_")
            return super().unscale_(optimizer)

        def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            log.append("step")
            return super().step(optimizer, *args, **kwargs)

        def update(self, new_scale: Any = None) -> None:
            log.append("update")
            return super().update(new_scale)

    return Scaler("cpu", **case["scaler"])


def _optimizer(case: dict[str, Any], parameters: Any) -> Any:
    import torch

    kind, options = case["optimizer"]
    return getattr(torch.optim, kind)(parameters, **options)


def _regression(case: dict[str, Any], log: list[str], seen: list[Any]) -> tuple[Any, ...]:
    """Return a model, what its optimizer holds, batches and a loss for the step on trial."""
    import torch

    torch.manual_seed(case["seed"])
    recorder = _recorder()

    class Model(torch.nn.Module):
        """Two layers and a third that the optimizer may not hold."""

        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = torch.nn.Linear(6, 12), torch.nn.Linear(12, 1)
            self.outside = torch.nn.Parameter(torch.zeros(1))
            self.frozen = torch.nn.Parameter(torch.ones(1), requires_grad=False)

        def forward(self, x: Any) -> Any:
            log.append("forward")
            if case.get("first_without_grad"):
                with torch.no_grad():
                    self.head(torch.tanh(self.body(x)))
            y = self.head(torch.tanh(self.body(x)))
            seen.append(["forward", torch.is_autocast_enabled("cpu"), str(y.dtype)])
            return recorder.apply((y + self.outside * case.get("outside", 0.0)) * self.frozen)

    def loss_fn(output: Any, target: Any) -> Any:
        value = torch.nn.functional.mse_loss(output, target)
        seen.append(["loss", torch.is_autocast_enabled("cpu"), str(value.dtype)])
        return value * case.get("factor", 1.0)

    model = Model()
    held = list(model.body.parameters()) + list(model.head.parameters())
    batches = []
    for size in case["sizes"]:
        x, y = torch.randn(size, 6), torch.randn(size, 1) * case.get("spread", 1.0)
        batches.append((x, y))
    return model, held, batches, loss_fn, recorder


def _state(optimizer: Any) -> list[float]:
    """Return every number in an optimizer's state, in a fixed order."""
    import torch

    numbers: list[float] = []
    for entry in optimizer.state.values():
        for key in sorted(entry):
            value = entry[key]
            if isinstance(value, torch.Tensor):
                numbers += value.detach().double().flatten().tolist()
    return numbers


def stepped(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take a few AMP steps and note everything that they did and left."""
    import torch

    log: list[str] = []
    seen: list[Any] = []
    model, held, batches, loss_fn, recorder = _regression(case, log, seen)
    optimizer = _optimizer(case, held)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5) if case["scheduler"] else None
    scaler = _scaler(case, log)
    updates = []
    optimizer.register_step_post_hook(lambda *_: updates.append(len(log)))
    if case.get("stale"):
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.grad = torch.full_like(parameter, case["stale"])
    keywords: dict[str, Any] = {"loss_fn": loss_fn, "dtype": _dtype(case)}
    if scheduler is not None:
        keywords["scheduler"] = scheduler
    keywords |= {key: case[key] for key in ("device", "floor") if key in case}
    taken = []
    for bad in case["bad"]:
        before = [p.detach().clone() for p in held]
        state, rate = _state(optimizer), optimizer.param_groups[0]["lr"]
        grown, count = scaler.get_scale(), len(log)
        given = batches
        if bad:
            given = [*batches]
            x, y = given[case["bad_place"]]
            given[case["bad_place"]] = (x, y * case["bad_value"])
        answer = _answer(
            stage.amp_step, model, optimizer, scaler, given, case["max_norm"], **keywords
        )
        value = answer.get("value")
        loss = value.get("loss") if isinstance(value, dict) else None
        moves = [a.detach() - b for a, b in zip(held, before, strict=True)]
        flat = torch.cat([m.flatten() for m in moves])
        taken.append(
            {
                **answer,
                "loss_is_tensor": isinstance(loss, torch.Tensor),
                "loss_has_graph": bool(isinstance(loss, torch.Tensor) and loss.requires_grad),
                "loss_dtype": str(getattr(loss, "dtype", "")),
                "update": float(flat.double().norm()),
                "direction": flat.double().tolist(),
                "state_kept": _state(optimizer) == state,
                "rate": [rate, optimizer.param_groups[0]["lr"]],
                "scales": [grown, scaler.get_scale()],
                "calls": log[count:],
                "grads": sorted({str(p.grad.dtype) for p in held if p.grad is not None}),
            }
        )
    return {
        "steps": taken,
        "updates": len(updates),
        "forwards": [[kind, on, dtype] for kind, on, dtype in seen],
        "backward_in_autocast": any(recorder.seen),
        "backwards": len(recorder.seen),
        "parameters": sorted({str(p.dtype) for p in model.parameters()}),
        "hooks": len(optimizer._optimizer_step_post_hooks),
        "last_epoch": None if scheduler is None else scheduler.last_epoch,
    }


def plain_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take the gradient of the same batches in float64, without autocast or scaler."""
    import torch

    model, held, batches, loss_fn, _ = _regression(case, [], [])
    model.double()
    losses = [loss_fn(model(x.double()), y.double()) for x, y in batches]
    loss = torch.stack(losses).mean()
    flat = torch.cat([g.flatten() for g in torch.autograd.grad(loss, held)])
    return {"loss": float(loss), "norm": float(flat.norm()), "gradient": flat.tolist()}


def refused_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask for a step that must be refused, and look whether it changed anything before."""
    import torch

    log: list[str] = []
    model, held, batches, loss_fn, _ = _regression(case, log, [])
    optimizer = _optimizer(case, held)
    if case["scaler"] == "default":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scaler: Any = torch.amp.GradScaler()
    else:
        scaler = _scaler(case, log)
    before = [p.detach().clone() for p in held]
    for parameter in held:
        parameter.grad = torch.full_like(parameter, 3.0)
    answer = _answer(
        stage.amp_step,
        model,
        optimizer,
        scaler,
        batches,
        case["max_norm"],
        loss_fn=loss_fn,
        device=case.get("device", "cpu"),
        dtype=_dtype(case),
    )
    answer.pop("value", None)
    return {
        **answer,
        "enabled": scaler.is_enabled(),
        "calls": log,
        "moved": any(not torch.equal(a, b) for a, b in zip(held, before, strict=True)),
        "gradients_kept": all(p.grad is not None and bool((p.grad == 3.0).all()) for p in held),
    }


# 8.4.l needs_scaler


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
    answer = _answer(
        stage.needs_scaler, gradients, _dtype(case), **case.get("named", {})
    )
    kept = gradients.keys() == before.keys() and all(
        (before[name] is None and g is None) or torch.equal(g.nan_to_num(), before[name].nan_to_num())
        for name, g in gradients.items()
    )
    return {**answer, "kept": kept}


def lost_in_a_run(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a model in float32 and in float16, scaled or not, and count the zeros that are new."""
    import torch
    from torch.nn import functional as F

    torch.manual_seed(case["seed"])
    first = _mlp([16, 32, 32, 4])
    x, y = torch.randn(32, 16), torch.randint(4, (32,))
    true = _gradients(first, F.cross_entropy(first(x), y) * case["factor"])
    answer = stage.needs_scaler(dict(true), torch.float16, scale=case["scale"])
    low = _mlp([16, 32, 32, 4]).half()
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
                "default": lambda: torch.amp.GradScaler(),
            }[one["scaler"]]()
        device = torch.device(one["device"]) if one.get("as_object") else one["device"]
        answers.append(_answer(stage.check_amp_config, model, scaler, device, _dtype(one)))
    return answers


def machine(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Say which accelerator this machine has, and what torch makes of a scaler without device."""
    import torch

    accelerator = torch.accelerator.current_accelerator()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        enabled = torch.amp.GradScaler().is_enabled()
    return {"accelerator": accelerator.type if accelerator else None, "default_enabled": enabled}


# 8.4.n closed_book_amp


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book loop, with an ear on every optimizer, module and backward."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    dtypes: list[str] = []
    updates: list[float] = []
    weights: dict[int, Any] = {}

    def ran(module: Any, arguments: Any, output: Any) -> None:
        if isinstance(module, torch.nn.Linear):
            dtypes.append(str(output.dtype))
            weights.setdefault(id(module.weight), module.weight)

    def updated(optimizer: Any, *_: Any) -> None:
        grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        updates.append(float(torch.cat([g.flatten() for g in grads]).norm()))

    handles = [
        torch.nn.modules.module.register_module_forward_hook(ran),
        register_optimizer_step_post_hook(updated),
    ]
    try:
        answer = stage.closed_book_amp(case["steps"], case["bad_step"], case["growth_interval"])
    finally:
        for handle in handles:
            handle.remove()
    return {
        "answer": answer,
        "dtypes": dtypes,
        "updates": updates,
        "layers": len(weights),
        "parameters": sorted({str(w.dtype) for w in weights.values()}),
    }


# What the sheet asks

SHEET_WIDTHS, SHEET_BATCH = (192, 512, 256, 10), 48


def _measured_dtype(dtype: Any) -> dict[str, Any]:
    """Return a dtype's name, and the spacing of each candidate at 1 as its number."""
    import torch

    names = ("float32", "float16", "bfloat16")
    return {
        "value": str(dtype).removeprefix("torch."),
        "terms": {name: torch.finfo(getattr(torch, name)).eps for name in names},
        "note": "the number of a dtype is its spacing at 1",
    }


def measure_softmax_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at a softmax under float16 autocast."""
    import torch

    layer, x = torch.nn.Linear(4, 3), torch.ones(2, 4)
    with torch.autocast("cpu", dtype=torch.float16):
        return _measured_dtype(torch.softmax(layer(x), -1).dtype)


def _sheet_loss() -> tuple[Any, Any]:
    import torch

    layer, x = torch.nn.Linear(4, 3), torch.ones(2, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(layer(x), torch.zeros(2, dtype=torch.long))
    return layer, loss


def measure_loss_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at a cross-entropy under bfloat16 autocast."""
    return _measured_dtype(_sheet_loss()[1].dtype)


def measure_gradient_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at the gradient that its backward leaves."""
    layer, loss = _sheet_loss()
    loss.backward()
    return _measured_dtype(layer.weight.grad.dtype)


def _half(value: float) -> float:
    import torch

    return float(torch.tensor(value).half())


def measure_fp16_of_2049(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a whole number that lies between two of float16."""
    import torch

    value = _half(2049.0)
    above = float(torch.nextafter(torch.tensor(value).half(), torch.tensor(math.inf).half()))
    return {
        "value": value,
        "terms": {"not_rounded": value - 2049.0, "tie_away_from_zero": value - above},
    }


def measure_fp16_of_65519(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a number between the largest float16 and where the next one would be."""
    value, largest = _half(65519.0), _half(65504.0)
    spacing = largest - _half(65472.0)
    return {
        "value": value,
        "terms": {"not_rounded": value - 65519.0, "rounded_up": value - (largest + spacing)},
    }


def measure_fp16_of_65520(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round the first number that is as near to where the next one would be."""
    value = _half(65520.0)
    word = "infinity" if math.isinf(value) else "nan" if math.isnan(value) else ""
    word = word or ("same" if value == 65520.0 else "largest")
    return {"value": word, "terms": {"first_to_overflow": 65520.0}}


def measure_fp16_of_small(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a number just below half of the smallest float16."""
    import torch

    value, normal = _half(2.9e-8), torch.finfo(torch.float16).smallest_normal
    subnormal = normal * torch.finfo(torch.float16).eps
    words = {0.0: "zero", subnormal: "subnormal", normal: "normal"}
    return {"value": words.get(value, "same"), "terms": {"largest_to_underflow": subnormal / 2}}


def measure_bf16_increment(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Add smaller and smaller powers of two to 1 until it stays 1."""
    import torch

    found = {}
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        one = torch.ones((), dtype=dtype)
        found[dtype] = max(k for k in range(40) if bool(one + torch.tensor(2.0**-k).to(dtype) != 1))
    value = found[torch.bfloat16]
    return {
        "value": value,
        "terms": {
            "tie_goes_to_even": -1,
            "mantissa_of_float16": value - found[torch.float16],
            "mantissa_of_float32": value - found[torch.float32],
        },
    }


def _wrong_scale(*, reset: bool = True, back: bool = True, grow: bool = True, late: int = 0) -> Any:
    """Return the scale of the sheet's loop if the scaler had one thing wrong."""
    scale, count = Fraction(1024), 0
    for iteration in range(1, 11):
        if iteration == 3:
            scale = scale / 4 if back else scale
            count = 0 if reset else count
            continue
        count += 1
        if grow and count == 3 + late:
            scale, count = scale * 3, 0
    return float(scale)


def measure_scale_after(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run torch's scaler over the sheet's ten iterations."""
    options = {"init_scale": 1024.0, "growth_factor": 3.0, "backoff_factor": 0.25,
               "growth_interval": 3}  # fmt: skip
    bad = [iteration == 3 for iteration in range(1, 11)]
    value = torch_scaler(stage, {"options": options, "bad": bad, "value": math.inf})[-1][0]
    return {
        "value": value,
        "terms": {
            "counter_not_reset": value - _wrong_scale(reset=False),
            "no_backoff": value - _wrong_scale(back=False),
            "no_growth": value - _wrong_scale(grow=False),
            "growth_a_step_late": value - _wrong_scale(late=1),
        },
    }


def measure_bf16_forward_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count what is alive after the sheet's forward."""
    first, *hidden, classes = SHEET_WIDTHS
    live = live_forward(stage, {"widths": list(SHEET_WIDTHS), "batch": SHEET_BATCH})
    weights = 2 * sum(a * b for a, b in zip(SHEET_WIDTHS[1:], SHEET_WIDTHS[2:], strict=False))
    inputs = 2 * SHEET_BATCH * first
    return {
        "value": live["bf16"],
        "terms": {
            "weight_copies": weights,
            "input_copy": inputs,
            "all_copies": weights + inputs,
            "first_weight_copy": -2 * first * hidden[0],
            "activations_in_float32": -2 * SHEET_BATCH * sum(hidden),
            "log_probabilities": 2 * SHEET_BATCH * classes,
            "bias_copies": -2 * (sum(hidden) + classes),
        },
        "note": f"{live['fp32']} B without autocast",
    }


def measure_why_more_memory(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Give the size of each copy that autocast makes, as the forward of the sheet has them."""
    seen = measure_bf16_forward_bytes(stage, case)
    terms = {name: abs(seen["terms"][name]) for name in ("weight_copies", "input_copy", "bias_copies")}
    return {"value": "weight_copies", "terms": terms}


def measure_clipped_update(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Clip the scaled gradient of true norm 5 to 2, unscale, and step with SGD."""
    import torch

    def update(*, unscale_first: bool) -> float:
        weight = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
        optimizer = torch.optim.SGD([weight], lr=1.0)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        scaler.scale((weight * torch.tensor([3.0, 4.0])).sum()).backward()
        if unscale_first:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 2.0)
        scaler.step(optimizer)
        scaler.update()
        return float(weight.detach().norm())

    # clipping divides by the norm plus 1e-6, which is no part of the question
    value = float(f"{update(unscale_first=False):.7g}")
    right = float(f"{update(unscale_first=True):.5g}")
    return {
        "value": value,
        "terms": {
            "unscaled_after_clipping": value - right,
            "not_clipped": value - 5.0,
            "threshold_not_reached": value - 5.0 / 1024,
        },
    }
