"""Unit 8.7, PyTorch stage: the whole state of a run, saved to survive, and equality defined first.

Everything runs on a CPU. Nothing here leaves a setting of torch changed behind it.
"""

import contextlib
import copy
import io
import os
import random
import re
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Run:
    """A training run, as `run_state` and `restore_run` meet it. Given; there is nothing to write.

    Attributes:
        model: The model; may be what `torch.compile` returned, and may share parameters.
        optimizer: Its optimizer.
        scheduler: A learning rate scheduler, or None.
        scaler: A `torch.amp.GradScaler`, or None.
        ema: A second module of the same architecture with averaged weights, or None.
        generator: The loader's own `torch.Generator`, which draws the order of each epoch.
        before_epoch: The generator's state from before the order of this epoch was drawn.
        order: The order of this epoch, int64 ``[n]``; None if it is not drawn yet.
        position: How many batches of the epoch were used.
        epoch: Number of this epoch, from 0.
        step: Steps made.
    """

    def __init__(  # noqa: PLR0917 - the parts of a run
        self, model, optimizer, scheduler, scaler, ema, data, batch_size, seed
    ):
        """Keep the parts; the data is a pair ``x [n, d]``, ``y [n]``."""
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler
        self.scaler, self.ema = scaler, ema
        (self.x, self.y), self.batch_size = data, batch_size
        self.generator = torch.Generator().manual_seed(seed)
        self.before_epoch = self.generator.get_state()
        self.order = None
        self.position = self.epoch = self.step = 0

    def next_batch(self):
        """Return the next batch; an order that is not there is drawn first."""
        if self.order is None:
            self.before_epoch = self.generator.get_state()
            self.order = torch.randperm(len(self.x), generator=self.generator)
        start = self.position * self.batch_size
        chosen = self.order[start : start + self.batch_size]
        self.position += 1
        if self.position * self.batch_size >= len(self.x):
            self.position, self.order, self.epoch = 0, None, self.epoch + 1
            self.before_epoch = self.generator.get_state()
        return self.x[chosen], self.y[chosen]

    def train_step(self):
        """Make one step with noise from all three global generators; return the loss."""
        x, y = self.next_batch()
        x = x * random.choice((0.9, 1.1)) + 0.01 * float(np.random.standard_normal())
        loss = F.mse_loss(self.model(x).squeeze(-1), y)
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
                for mean, now in zip(self.ema.parameters(), self.model.parameters(), strict=True):
                    mean.lerp_(now, 0.1)
        self.step += 1
        return loss.detach()


def run_state(run):
    """Return everything the next steps of a run depend on, as it is now.

    The state is a copy: what the run does afterwards does not change it. It holds only what
    ``torch.load(..., weights_only=True)`` accepts. The run is left as it was: no generator moves.

    Args:
        run: A `Run`, or anything with its attributes; between two steps.

    Returns:
        A dict with

        - ``"model"``: the model's state dict, buffers included, with the names that the parameters
          have without `torch.compile` (no ``_orig_mod.``).
        - ``"optimizer"``: its state dict.
        - ``"scheduler"``, ``"scaler"``: their state dicts, None where the run has none.
        - ``"ema"``: the averaged module's state dict, None where the run has none. It stands beside
          the model's own weights and never in their place.
        - ``"loader"``: what it takes to go on with the very batch that is next, also in the middle
          of an epoch: state of the generator, position, epoch.
        - ``"step"``: steps made (int).
        - ``"rng"``: the states of torch's, Python's (`random`) and NumPy's global generators, and
          of the CUDA devices where there are any.

        How the values of ``"loader"`` and ``"rng"`` look is up to you.
    """
    # region 8.7.f
    name, keys, *rest = np.random.get_state()
    rng = {
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        # a NumPy array would not load
        "numpy": [name, keys.tolist(), *map(float, rest)],
    }
    if torch.cuda.is_available():
        rng["cuda"] = torch.cuda.get_rng_state_all()
    state = {
        "model": _plain(run.model).state_dict(),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": None if run.scheduler is None else run.scheduler.state_dict(),
        "scaler": None if run.scaler is None else run.scaler.state_dict(),
        "ema": None if run.ema is None else _plain(run.ema).state_dict(),
        "loader": {
            "before_epoch": run.before_epoch, "now": run.generator.get_state(),
            "drawn": run.order is not None, "position": run.position, "epoch": run.epoch,
        },
        "step": run.step,
        "rng": rng,
    }  # fmt: skip
    return copy.deepcopy(state)
    # endregion


# region hidden
PARTS = ("model", "optimizer", "scheduler", "scaler", "ema", "loader", "step", "rng")


def _plain(module):
    """Return the module that `torch.compile` wrapped, or the module itself."""
    return getattr(module, "_orig_mod", module)


# endregion


def restore_run(run, state):
    """Put a run into a state, so that it goes on bit for bit as the saved one would have.

    The run may be a new one, with other weights and another seed, or one that has made steps; all
    generators may stand anywhere. Its tensors are filled in place: parameters that are shared stay
    shared, and the optimizer keeps the parameters it has. The state is not changed and shares no
    memory with the run afterwards, so that it can be restored again.

    Args:
        run: A `Run` of the same architecture.
        state: What `run_state` gave, perhaps through a file.

    Raises:
        ValueError: If a part is missing from the state, or only one of the state and the run has a
            scheduler, a scaler or an ema. The run is then what it was.
    """
    # region 8.7.g
    missing = [part for part in PARTS if part not in state]
    if missing:
        raise ValueError(f"the checkpoint lacks {', '.join(missing)}")
    for part in ("scheduler", "scaler", "ema"):
        if (state[part] is None) != (getattr(run, part) is None):
            raise ValueError(f"only one of the checkpoint and the run has a {part}")
    state = copy.deepcopy(state)
    _plain(run.model).load_state_dict(state["model"])
    run.optimizer.load_state_dict(state["optimizer"])
    for part in ("scheduler", "scaler"):
        if state[part] is not None:
            getattr(run, part).load_state_dict(state[part])
    if state["ema"] is not None:
        _plain(run.ema).load_state_dict(state["ema"])
    loader = state["loader"]
    run.order, run.before_epoch = None, loader["before_epoch"]
    if loader["drawn"]:
        run.generator.set_state(loader["before_epoch"])
        run.order = torch.randperm(len(run.x), generator=run.generator)
    run.generator.set_state(loader["now"])
    run.position, run.epoch, run.step = loader["position"], loader["epoch"], state["step"]
    rng = state["rng"]
    torch.set_rng_state(rng["torch"])
    random.setstate(rng["python"])
    name, keys, position, has_gauss, gauss = rng["numpy"]
    np.random.set_state((name, np.array(keys, np.uint32), int(position), int(has_gauss), gauss))
    if "cuda" in rng and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(rng["cuda"])
    # endregion


def save_checkpoint(state, folder, keep=3):
    """Write a state to ``folder/step-00000012.pt``, whole.

    The number is ``state["step"]`` with zeros in front up to eight digits; a step above 99999999
    has more.

    The file is one `torch.save` of the whole state. For the name of the new file holds what
    `atomic_write` of the NumPy stage promises: at every moment, and after a power loss at any
    moment, `load_latest` finds the newest of the checkpoints that were there, or the new one; when
    the function returns, the new one survives a power loss. A save that fails raises before the
    rename, leaves the old ones, and no other file. What fails after the rename and before the new
    one is safe, such as forcing the folder, is raised as well; no old one has gone by then.

    Then older checkpoints go: those with the `keep` highest steps stay, and the one just written.
    None goes before the new one is safe on the disk. Files with other names are let alone. A
    checkpoint of the same step is replaced.

    Args:
        state: A dict with ``"step"``, an int.
        folder: Where; it exists.
        keep: 1 or more.

    Returns:
        The path of the file.

    Raises:
        OSError, RuntimeError: Whatever the system or `torch.save` raises.
        ValueError: If `keep` is below 1; nothing is written then.
    """
    # region 8.7.h
    if keep < 1:
        raise ValueError(f"keep is {keep}")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    _write_whole(path, buffer.getbuffer())
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
    # endregion


# region hidden
def _checkpoints(folder):
    """Return the checkpoints of a folder, the highest step first."""
    found = [path for path in Path(folder).iterdir() if re.fullmatch(r"step-\d+\.pt", path.name)]
    return sorted(found, key=lambda path: int(path.stem[5:]), reverse=True)


def _write_whole(path, data):
    """Write a file of bytes, as `atomic_write` does."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# endregion


def load_latest(folder):
    """Return the state with the highest step among the checkpoints that can be loaded whole.

    Only files named as `save_checkpoint` names them are looked at. A file that is cut short, empty,
    no checkpoint at all, or that needs more than ``weights_only=True`` is passed over, whatever its
    step; nothing in it is run. Tensors come to the CPU.

    Args:
        folder: The folder.

    Returns:
        The state.

    Raises:
        FileNotFoundError: If the folder does not exist, or no checkpoint in it can be loaded.
    """
    # region 8.7.i
    for path in _checkpoints(folder):
        # what a damaged file raises depends on where it is damaged
        with contextlib.suppress(Exception):
            return torch.load(path, map_location="cpu", weights_only=True)
    raise FileNotFoundError(f"no checkpoint in {folder} can be loaded")
    # endregion


def first_divergence(run_a, run_b, tolerance=0.0):
    """Return where two runs first differ, with all of their state compared.

    A run comes as the list of its states, one after each step, and the state at each index of
    `run_a` is compared with the one at that index of `run_b`. A state is a dict with text as keys;
    each key names a *part*, such as ``"model"`` or ``"rng"``. What stands in a part is made, to any
    depth, of dicts (their keys are text or integers), lists, tuples, tensors on the CPU, Python's
    floats, ints and bools, text and None. Two of them are compared like this:

    - Two floats x and y agree if both are NaN, if they are equal (0.0 and -0.0, two infinities of
      one sign), or if both are finite and ``|x - y| <= tolerance * max(|x|, |y|)``. Their
      *difference* is ``|x - y| / max(|x|, |y|)``; 0.0 if they are equal or both NaN, and inf if
      only one of them is finite, or the infinities have another sign, or only one is NaN.
    - Two tensors of floats agree if dtype and shape are the same, NaN and infinities stand at the
      same places (with the same sign), and no other entries differ by more than `tolerance` times
      the largest absolute value among the finite entries of both. Their *difference* is the
      largest ``|x - y|`` of such entries over that value; 0.0 if all are equal, and inf if NaN and
      infinities do not stand at the same places. With another dtype or shape they do not agree and
      have no difference.
    - Two dicts agree if they have the same keys, in any order, and all values agree. Two lists, two
      tuples, or one of each, agree if they are equally long and all entries agree. What both dicts
      have a key for, or both lists a place, is compared, and its difference counts, even if other
      keys or places are missing.
    - Everything else agrees only if type and value are the same, whatever the tolerance: ints,
      bools, text, None, tensors of ints or bools. So an int agrees with no float and no bool. It
      has no difference.

    Args:
        run_a: List of states, perhaps empty.
        run_b: List of states, perhaps of another length.
        tolerance: Relative, 0 or more (float). With 0 nothing but equal values agree.

    Returns:
        None if all states agree and both lists have the same length. Otherwise a dict with

        - ``"step"``: index of the first states that do not agree (int). If one list is shorter and
          all its states agree with the other's, its length.
        - ``"parts"``: the keys of those two states whose values do not agree, or that only one of
          them has, sorted (list of text); empty if it is the length alone that differs.
        - ``"largest"``: the largest of the differences that lie anywhere inside these parts, also
          of what agrees within the tolerance there (float); 0.0 if there is none.

    Raises:
        ValueError: If the tolerance is negative or NaN.
    """
    # region 8.7.j
    if not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance}")
    for step, (a, b) in enumerate(zip(run_a, run_b, strict=False)):
        gaps = {
            part: _gap(a[part], b[part], tolerance) if part in a and part in b else (False, 0.0)
            for part in a.keys() | b.keys()
        }
        parts = sorted(part for part, (agrees, _) in gaps.items() if not agrees)
        if parts:
            return {"step": step, "parts": parts, "largest": max(gaps[part][1] for part in parts)}
    if len(run_a) != len(run_b):
        return {"step": min(len(run_a), len(run_b)), "parts": [], "largest": 0.0}
    return None
    # endregion


# region hidden
def _gap(a, b, tolerance):
    """Return whether two values agree, and their largest relative difference."""
    if isinstance(a, dict) and isinstance(b, dict):
        gaps = [_gap(a[key], b[key], tolerance) for key in a.keys() & b.keys()]
        return a.keys() == b.keys() and all(ok for ok, _ in gaps), max(
            (g for _, g in gaps), default=0.0
        )
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        gaps = [_gap(x, y, tolerance) for x, y in zip(a, b, strict=False)]
        return len(a) == len(b) and all(ok for ok, _ in gaps), max(
            (g for _, g in gaps), default=0.0
        )
    if type(a) is float and type(b) is float:
        a, b = torch.tensor(a, dtype=torch.float64), torch.tensor(b, dtype=torch.float64)
    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
        return type(a) is type(b) and a == b, 0.0
    if a.dtype != b.dtype or a.shape != b.shape:
        return False, 0.0
    if not a.is_floating_point():
        return torch.equal(a, b), 0.0
    x, y = a.detach().double(), b.detach().double()
    finite = x.isfinite() & y.isfinite()
    same = torch.where(finite, True, (x == y) | (x.isnan() & y.isnan()))
    if not same.all():
        return False, float("inf")
    x, y = x[finite], y[finite]
    if not x.numel():
        return True, 0.0
    scale = float(torch.maximum(x.abs(), y.abs()).max())
    gap = float((x - y).abs().max()) / scale if scale else 0.0
    return gap <= tolerance, gap


# endregion


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    """Say which boundaries change the bits of a model's outputs and gradients, and by how much.

    What is compared is a list of tensors: the output ``model(x)``, and the gradient of
    ``model(x).square().mean()`` with respect to each parameter that needs one and that the output
    depends on. The *baseline* computes them eagerly, all rows at once, with one thread. Each
    boundary computes them again and changes one thing about it:

    - ``"again"``: nothing. What differs here is not deterministic at all.
    - ``"threads"``: forward and backward with `threads` threads.
    - ``"batch"``: the model is called with one row at a time, ``x[i : i + 1]``, and the outputs are
      joined; the mean is taken of the joined output.
    - ``"compiled"``: ``compiler(model)`` is called with x in the model's place. This boundary is
      there only if a compiler is given.

    The model itself is called, not a copy: what changes in it from call to call may be something
    that a copy begins anew. Baseline and boundaries start alike: torch's global generator and the
    buffers of the model are set to what they were when the function was called, so that dropout
    draws the same. Afterwards, also if the model raises, everything is as it was: the generator,
    the buffers, the number of threads, the mode of the model (which is used in the mode it is in)
    and the ``grad`` of its parameters.

    Args:
        model: A module whose output is one tensor with the rows of x as first dimension. At least
            one parameter needs a gradient; others may be frozen or not be used.
        x: Inputs ``[b, ...]``, b of 1 or more.
        tolerance: What counts as the same, declared before anything is measured (float).
        threads: Number of threads for ``"threads"``.
        compiler: Function that takes the model and returns a callable of x, for example
            ``lambda model: torch.compile(model, backend="eager")``, or None.

    Returns:
        A dict from the name of each boundary to ``{"bitwise": bool, "largest": float, "within":
        bool}``:

        - ``"largest"``: for one tensor, the largest absolute difference from the baseline's tensor
          over the largest absolute value among the baseline's finite entries; the largest of these
          numbers of all tensors. 0.0 for a tensor that equals the baseline's, where NaN at the same
          place are equal, and so are 0.0 and -0.0. inf where NaN or infinities do not stand at the
          same places, and where the baseline's tensor is all zeros and the other is not.
        - ``"bitwise"``: whether all tensors are equal in this sense, so that ``largest`` is 0.0.
        - ``"within"``: whether ``largest`` is at most `tolerance`.

    Raises:
        ValueError: If x has no rows.
    """
    # region 8.7.k
    if not len(x):
        raise ValueError("x has no rows")
    ways = {
        "again": model,
        "threads": model,
        "batch": lambda x: torch.cat([model(x[i : i + 1]) for i in range(len(x))]),
    }
    if compiler is not None:
        ways["compiled"] = compiler(model)
    before = torch.get_num_threads()
    rng = torch.get_rng_state()
    buffers = [buffer.clone() for buffer in model.buffers()]
    parameters = [p for p in model.parameters() if p.requires_grad]

    def compute(way, count):
        torch.set_num_threads(count)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), buffers, strict=True):
                buffer.copy_(value)
        with torch.enable_grad():
            outputs = way(x)
            gradients = ()
            if parameters:
                gradients = torch.autograd.grad(
                    outputs.square().mean(), parameters, allow_unused=True
                )
        return [outputs.detach(), *gradients]

    try:
        base = compute(model, 1)
        report = {}
        for name, way in ways.items():
            found = compute(way, threads if name == "threads" else 1)
            largest = max(map(_largest, base, found))
            report[name] = {
                "bitwise": largest == 0.0,
                "largest": largest,
                "within": largest <= tolerance,
            }
    finally:
        torch.set_num_threads(before)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), buffers, strict=True):
                buffer.copy_(value)
    return report
    # endregion


# region hidden
def _largest(base, other):
    """Return the largest difference of two tensors over the baseline's largest entry."""
    if base is None or other is None:
        return 0.0 if base is other else float("inf")
    if base.shape != other.shape:
        return float("inf")
    x, y = base.double(), other.double()
    finite = x.isfinite() & y.isfinite()
    if not torch.where(finite, True, (x == y) | (x.isnan() & y.isnan())).all():
        return float("inf")
    x, y = x[finite], y[finite]
    if not x.numel() or torch.equal(x, y):
        return 0.0
    scale = float(x.abs().max())
    return float((x - y).abs().max()) / scale if scale else float("inf")


# endregion


def closed_book_run(path, steps):
    """Closed book: a training run that can be stopped at any step and goes on bit for bit.

    Without notes, on a CPU: if there is no file at `path`, begin a run of a small mlp with dropout,
    with AdamW, a learning rate that a scheduler changes at each step, and batches drawn in a
    shuffled order from data that you make. If there is a file, it was written by an earlier call,
    in another process: go on from it, read with ``weights_only=True``. Train until the run has made
    `steps` steps in all, then write its complete state to `path`, atomically and durably as
    `atomic_write` promises, and return.

    A run made in pieces equals one made at once: same losses, bit for bit, and after the last piece
    the same state in the file. Each process starts with its generators in a state of its own, so a
    fresh run seeds what it uses.

    Args:
        path: The file, text.
        steps: Steps the run shall have made, not fewer than it has made already.

    Returns:
        The losses of the steps of this call, a list of floats.
    """
    # region 8.7.l
    torch.manual_seed(0)
    x, y = torch.randn(24, 5), torch.randint(3, (24,))
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    generator = torch.Generator().manual_seed(1)
    before, position, done = generator.get_state(), 0, 0
    if os.path.exists(path):
        saved = torch.load(path, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        scheduler.load_state_dict(saved["scheduler"])
        generator.set_state(saved["before"])
        before, position, done = saved["before"], saved["position"], saved["done"]
        torch.set_rng_state(saved["rng"])
    order = torch.randperm(len(x), generator=generator)
    losses = []
    for _ in range(steps - done):
        if position == len(x):
            before, position = generator.get_state(), 0
            order = torch.randperm(len(x), generator=generator)
        chosen = order[position : position + 6]
        position += 6
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[chosen]), y[chosen])
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    buffer = io.BytesIO()
    state = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(), "before": before, "position": position,
        "done": steps, "rng": torch.get_rng_state(),
    }  # fmt: skip
    torch.save(state, buffer)
    _write_whole(Path(path), buffer.getbuffer())
    return losses
    # endregion
