"""A run with everything in it, saved in one process and continued in another."""

from __future__ import annotations

import copy
import random
import zlib
from pathlib import Path
from typing import Any


class Run:
    """What the stage's `Run` is, with an eye on every part of it."""

    def __init__(self, kind: str, seed: int, device: str = "cpu") -> None:
        import torch
        from torch import nn

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = _model(kind)
            ema = copy.deepcopy(model) if kind not in ("bare", "tied") else None
            data = torch.Generator().manual_seed(5)
            self.x = torch.randn(14, 4, generator=data).to(device)
            self.y = torch.randn(14, generator=data).to(device)
        model = model.to(device)
        self.ema: nn.Module | None = ema.to(device) if ema is not None else None
        self.model: nn.Module = model
        self.optimizer: Any
        self.scheduler: Any = None
        self.scaler: Any = None
        if kind in ("bare", "tied"):
            self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        else:
            model[0].bias.requires_grad_(False)
            groups = [
                {"params": list(model[0].parameters())},
                {"params": list(model[1:].parameters()), "lr": 0.02, "weight_decay": 0.1},
            ]
            self.optimizer = torch.optim.AdamW(groups, lr=0.01, foreach=False)
            self.scheduler = torch.optim.lr_scheduler.LambdaLR(
                self.optimizer, lambda step: 1.0 / (1 + step)
            )
            # a power of two that grows while it is watched
            self.scaler = torch.amp.GradScaler(device, init_scale=1024.0, growth_interval=5)
        if kind == "compiled":
            self.model = torch.compile(model, backend=lambda graph, inputs: graph)
        self.batch_size = 4
        self.generator = torch.Generator().manual_seed(seed + 1)
        self.before_epoch = self.generator.get_state()
        self.order: Any = None
        self.position = self.epoch = self.step = 0

    def next_batch(self) -> tuple[Any, Any]:
        """Return the next batch; an order that is not there is drawn first."""
        import torch

        if self.order is None:
            self.before_epoch = self.generator.get_state()
            self.order = torch.randperm(len(self.x), generator=self.generator)
        start = self.position * self.batch_size
        chosen = self.order[start : start + self.batch_size].to(self.x.device)
        self.position += 1
        if self.position * self.batch_size >= len(self.x):
            self.position, self.order, self.epoch = 0, None, self.epoch + 1
            self.before_epoch = self.generator.get_state()
        return self.x[chosen], self.y[chosen]

    def train_step(self) -> float:
        """Make one step; the forward of a compiled model is that of the model inside."""
        import numpy as np
        import torch

        x, y = self.next_batch()
        x = x * random.choice((0.9, 1.1)) + 0.01 * float(np.random.standard_normal())
        plain = getattr(self.model, "_orig_mod", self.model)
        loss = torch.nn.functional.mse_loss(plain(x).squeeze(-1), y)
        self.optimizer.zero_grad()
        if self.scaler is None:
            loss.backward()
            self.optimizer.step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        if self.scheduler is not None:
            self.scheduler.step()
        if self.ema is not None:
            with torch.no_grad():
                for mean, now in zip(self.ema.parameters(), plain.parameters(), strict=True):
                    mean.lerp_(now, 0.1)
        self.step += 1
        return float(loss.detach())

    def everything(self) -> dict[str, Any]:
        """Return all that the next step depends on, by parts a person would name."""
        import numpy as np
        import torch

        plain = getattr(self.model, "_orig_mod", self.model)
        moments = [
            [value.detach().double().cpu().numpy().copy() for _, value in sorted(state.items())]
            for state in self.optimizer.state.values()
        ]
        name, keys, *rest = np.random.get_state()
        scaler = self.scaler.state_dict() if self.scaler is not None else {}
        return {
            "parameters": _arrays(plain.named_parameters()),
            "buffers of the model": _arrays(plain.named_buffers()),
            "moments of the optimizer": moments,
            "learning rates of the optimizer": [g["lr"] for g in self.optimizer.param_groups],
            "count of the scheduler": getattr(self.scheduler, "last_epoch", None),
            "scale of the scaler": scaler.get("scale"),
            "growth counter of the scaler": scaler.get("_growth_tracker"),
            "averaged weights": {} if self.ema is None else _arrays(self.ema.named_parameters()),
            "torch's generator": torch.get_rng_state().numpy().copy(),
            "Python's generator": repr(random.getstate()),
            "NumPy's generator": [name, keys.copy(), *map(float, rest)],
            "generator of the loader": self.generator.get_state().numpy().copy(),
            "position in the epoch": [self.position, self.epoch],
            "step": self.step,
        }


def _model(kind: str) -> Any:
    from torch import nn

    if kind == "tied":
        first, second = nn.Linear(4, 4), nn.Linear(4, 4)
        second.weight = first.weight
        return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), nn.Linear(4, 1))
    if kind == "bare":
        return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
    return nn.Sequential(
        nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.3), nn.Linear(6, 1)
    )


def _arrays(named: Any) -> dict[str, Any]:
    return {name: value.detach().cpu().numpy().copy() for name, value in named}


def _disturb(seed: int) -> None:
    """Put the three global generators somewhere else."""
    import numpy as np
    import torch

    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    # one of a pair each: the other waits inside
    np.random.standard_normal()
    random.gauss(0.0, 1.0)


def _follow(run: Run, steps: int) -> list[dict[str, Any]]:
    """Make steps; return the loss and everything after each."""
    return [{"loss": run.train_step(), **run.everything()} for _ in range(steps)]


def _finger(value: Any) -> str:
    """Return a text that changes whenever anything in a state does."""
    import torch

    if isinstance(value, dict):
        items = sorted((str(key), _finger(item)) for key, item in value.items())
        return "{" + ",".join(f"{key}:{item}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_finger, value)) + "]"
    if isinstance(value, torch.Tensor):
        held = value.detach().cpu().contiguous()
        return f"{held.dtype}{list(held.shape)}{zlib.crc32(held.numpy().tobytes())}"
    return repr(value)


def _unlike(run: Run, state: Any) -> list[str]:
    """Return the parts that are not the state dicts, or the number, that they should be."""
    wanted = {
        "model": getattr(run.model, "_orig_mod", run.model),
        **{part: getattr(run, part) for part in ("optimizer", "scheduler", "scaler", "ema")},
    }
    if not isinstance(state, dict):
        return []
    unlike = [
        part
        for part, own in wanted.items()
        if _finger(state.get(part)) != _finger(own if own is None else own.state_dict())
    ]
    step = state.get("step")
    return unlike if type(step) is int and step == run.step else [*unlike, "step"]


def saved_run(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make steps, save the state, and go on; return what followed, and what saving did."""
    import torch

    _disturb(case["seed"])
    run = Run(case["kind"], case["seed"], case.get("device", "cpu"))
    for _ in range(case["before"]):
        run.train_step()
    before = run.everything()
    state = stage.run_state(run)
    after = run.everything()
    finger, unlike = _finger(state), _unlike(run, state)
    torch.save(state, Path(case["file"]))
    followed = _follow(run, case["after"])
    model = state.get("model") if isinstance(state, dict) else None
    return {
        "keys": sorted(map(str, state)) if isinstance(state, dict) else None,
        "names": sorted(map(str, model)) if isinstance(model, dict) else None,
        "wanted": sorted(getattr(run.model, "_orig_mod", run.model).state_dict()),
        "absent": [
            part
            for part in ("scheduler", "scaler", "ema")
            if isinstance(state, dict) and part in state and state[part] is None
        ],
        "unlike": unlike,
        "moved": [part for part in before if _told(before[part]) != _told(after[part])],
        "copy": _finger(state) == finger,
        "followed": followed,
    }


def _told(value: Any) -> str:
    """Return everything's parts as text, arrays by their bytes."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return f"{value.shape}{value.tobytes()!r}"
    if isinstance(value, dict):
        return repr({key: _told(item) for key, item in value.items()})
    return repr([_told(item) for item in value]) if isinstance(value, list) else repr(value)


def resumed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Load a file into new runs, one after the other, and follow each.

    ``uses`` says for each run how many steps it makes of its own before it is restored.
    """
    import torch

    try:
        state = torch.load(Path(case["file"]), weights_only=True)
    except Exception as error:
        return {"loads": f"{type(error).__name__}: {error}"[:300], "runs": []}
    untouched, runs = copy.deepcopy(state), []
    for number, use in enumerate(case["uses"]):
        seed = case["seed"] + 100 + number
        _disturb(seed)
        run = Run(case["kind"], seed, case.get("device", "cpu"))
        for _ in range(use):
            run.train_step()
        plain = getattr(run.model, "_orig_mod", run.model)
        held = [id(p) for p in plain.parameters()]
        finger = _finger(state)
        stage.restore_run(run, state)
        at_once = run.everything()
        followed = _follow(run, case["after"])
        stepped = [id(p) for group in run.optimizer.param_groups for p in group["params"]]
        runs.append(
            {
                "at once": at_once,
                "followed": followed,
                "same parameters": held == [id(p) for p in plain.parameters()] == stepped,
                "kept": _finger(state) == finger,
            }
        )
    return {"loads": "", "runs": runs, "once more": _once_more(stage, case, untouched)}


def _once_more(stage: Any, case: dict[str, Any], state: Any) -> list[dict[str, Any]]:
    """Resume, make a step, save that, resume again; return what follows, nothing if not asked."""
    if not case.get("once more"):
        return []
    middle = Run(case["kind"], case["seed"] + 7)
    stage.restore_run(middle, state)
    middle.train_step()
    again = stage.run_state(middle)
    _disturb(case["seed"] + 8)
    last = Run(case["kind"], case["seed"] + 8)
    stage.restore_run(last, again)
    return _follow(last, case["after"] - 1)


def _with_order(run: Run) -> dict[str, Any]:
    """Return everything of a run, and the order of its epoch as it is held."""
    order = None if run.order is None else run.order.tolist()
    return {**run.everything(), "order": order, "before": run.before_epoch.tolist()}


def restoring_refused(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Restore states that lack something; say what was raised and whether the run is untouched."""
    _disturb(case["seed"])
    full, bare = Run("full", case["seed"]), Run("bare", case["seed"])
    for _ in range(3):
        full.train_step()
        bare.train_step()
    states = {"full": stage.run_state(full), "bare": stage.run_state(bare)}
    given = [
        (f"lacks {part}", "full", {key: v for key, v in states["full"].items() if key != part})
        for part in states["full"]
    ]
    for part in ("scheduler", "scaler", "ema"):
        given.append((f"has no {part}", "full", {**states["full"], part: None}))
        given.append((f"has a {part}", "bare", {**states["bare"], part: states["full"][part]}))
    seen = []
    for why, kind, state in given:
        run = Run(kind, case["seed"] + 9)
        run.train_step()
        before = _told(_with_order(run))
        raised = ""
        try:
            stage.restore_run(run, state)
        except NotImplementedError:
            raise
        except Exception as error:
            raised = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        seen.append({"why": why, "raised": raised, "kept": _told(_with_order(run)) == before})
    return seen
