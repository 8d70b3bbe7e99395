"""Unit 8.7, PyTorch stage: the whole state of a run, saved to survive, and equality defined first.

Everything runs on a CPU. Nothing here leaves a setting of torch changed behind it.
"""

import contextlib
import copy
import errno
import io
import math
import os
import random
import re
from collections import Counter
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


def _plain(value):
    """Copy a state, with NumPy's arrays and numbers as lists and numbers of Python."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        items = [(key, _plain(item)) for key, item in value.items()]
        return Counter(dict(items)) if isinstance(value, Counter) else dict(items)
    if type(value) in {list, tuple}:
        return type(value)(_plain(item) for item in value)
    return copy.deepcopy(value)


def _inner_name(name):
    """Return the name that a parameter has without `torch.compile`."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def _plain_state(module):
    """Return a copy of a module's state dict with the names of the uncompiled one."""
    return {_inner_name(name): _plain(value) for name, value in module.state_dict().items()}


def _global_generators():
    """Return the states of the global generators."""
    devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "numpy": _plain(np.random.get_state(legacy=False)),
        "cuda": [state.clone() for state in devices],
    }


def _set_global_generators(states):
    """Put the global generators into their states."""
    torch.set_rng_state(states["torch"])
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    np.random.set_state(states["numpy"])
    if states["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(states["cuda"][: torch.cuda.device_count()])


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
    return {
        "model": _plain_state(run.model),
        "optimizer": _plain(run.optimizer.state_dict()),
        "scheduler": None if run.scheduler is None else _plain(run.scheduler.state_dict()),
        "scaler": None if run.scaler is None else _plain(run.scaler.state_dict()),
        "ema": None if run.ema is None else _plain_state(run.ema),
        "loader": {
            "generator": run.generator.get_state(),
            "before_epoch": run.before_epoch.clone(),
            "order": None if run.order is None else run.order.clone(),
            "position": int(run.position),
            "epoch": int(run.epoch),
        },
        "step": int(run.step),
        "rng": _global_generators(),
    }


def _need(state, names, what):
    """Refuse a state without one of these parts."""
    if not isinstance(state, dict):
        raise ValueError(f"{what} is no dict")
    missing = [name for name in names if name not in state]
    if missing:
        raise ValueError(f"{what} has no {', '.join(missing)}")


def _refuse_incomplete(run, state):
    """Look for everything that `restore_run` will use, and change nothing.

    Raises:
        ValueError: If anything is missing or does not fit.
    """
    parts = ("model", "optimizer", "scheduler", "scaler", "ema", "loader", "step", "rng")
    _need(state, parts, "the state")
    for name in ("scheduler", "scaler", "ema"):
        if (state[name] is None) != (getattr(run, name) is None):
            raise ValueError(f"only one of the state and the run has a {name}")
    _need(state["loader"], ("generator", "before_epoch", "order", "position", "epoch"), "loader")
    _need(state["rng"], ("torch", "python", "numpy", "cuda"), "rng")
    _need(state["optimizer"], ("state", "param_groups"), "optimizer")
    for name, module in (("model", run.model), ("ema", run.ema)):
        if module is None:
            continue
        mine = {_inner_name(key): value for key, value in module.state_dict().items()}
        _need(state[name], mine, name)
        for key, value in state[name].items():
            if key not in mine:
                raise ValueError(f"{name} has no {key} here")
            if isinstance(mine[key], torch.Tensor) and mine[key].shape != getattr(
                value, "shape", None
            ):
                raise ValueError(f"{name}: {key} has another shape")
    sizes = [len(group["params"]) for group in run.optimizer.param_groups]
    if sizes != [len(group["params"]) for group in state["optimizer"]["param_groups"]]:
        raise ValueError("optimizer has other groups of parameters")
    if run.scheduler is not None:
        counters = {"last_epoch", "_step_count"} & run.scheduler.state_dict().keys()
        _need(state["scheduler"], sorted(counters), "scheduler")
    if run.scaler is not None:
        _need(state["scaler"], run.scaler.state_dict(), "scaler")


def _fill(module, state):
    """Copy a state with plain names into a module, which may be compiled."""
    named = module.state_dict()
    for name in named:
        named[name] = state[_inner_name(name)]
    module.load_state_dict(named)


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
    _refuse_incomplete(run, state)
    state = copy.deepcopy(state)
    _fill(run.model, state["model"])
    if run.ema is not None:
        _fill(run.ema, state["ema"])
    if run.scheduler is not None:
        run.scheduler.load_state_dict(state["scheduler"])
    run.optimizer.load_state_dict(state["optimizer"])
    if run.scaler is not None:
        run.scaler.load_state_dict(state["scaler"])
    loader = state["loader"]
    run.generator.set_state(loader["generator"])
    run.before_epoch, run.order = loader["before_epoch"], loader["order"]
    run.position, run.epoch = loader["position"], loader["epoch"]
    run.step = state["step"]
    _set_global_generators(state["rng"])


_NAME = re.compile(r"step-([0-9]{8}|[1-9][0-9]{8,})\.pt")


def _checkpoints(folder):
    """Return step and path of what is named like a checkpoint, the highest step first."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match and entry.is_file():
                found.append((int(match[1]), Path(entry.path)))
    return sorted(found, reverse=True)


def _replace_file(path, data):
    """Give a name a new content, whole at every moment, and safe when this returns."""
    path = Path(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        temporary = path.parent / f".tmp-{os.getpid()}-{os.urandom(8).hex()}"
        try:
            with open(temporary, "xb", buffering=0) as file:
                rest = memoryview(data)
                while len(rest):
                    written = file.write(rest)
                    if not written:
                        raise OSError(errno.EIO, "nothing was written", str(temporary))
                    rest = rest[written:]
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        os.fsync(folder)
    finally:
        os.close(folder)


def save_checkpoint(state, folder, keep=3):
    """Write a state to ``folder/step-00000012.pt`` (eight digits, from ``state["step"]``), whole.

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
    if keep < 1:
        raise ValueError(f"keep is {keep}, must be 1 or more")
    buffer = io.BytesIO()
    torch.save(state, buffer)
    path = Path(folder) / f"step-{state['step']:08d}.pt"
    _replace_file(path, buffer.getbuffer())
    for _, old in _checkpoints(folder)[keep:]:
        if old.name != path.name:
            old.unlink(missing_ok=True)
    return path


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
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(folder))
    for _, path in _checkpoints(folder):
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
        except Exception:  # noqa: S112 - torn files raise anything
            continue
        if isinstance(state, dict) and "step" in state:
            return state
    raise FileNotFoundError(errno.ENOENT, "no checkpoint can be loaded", str(folder))


def _held_together(a, b, tolerance):
    """Compare two parts; return whether they agree, and their largest difference."""
    agree, largest = True, 0.0
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            agree = agree and a.keys() == b.keys()
            todo.extend((a[key], b[key]) for key in a if key in b)
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            agree = agree and len(a) == len(b)
            todo.extend(zip(a, b, strict=False))
        else:
            same, difference = _leaves(a, b, tolerance)
            agree = agree and same
            largest = max(largest, difference)
    return agree, largest


def _leaves(a, b, tolerance):
    """Return whether two values that hold no others agree, and their difference."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False, 0.0
        if not a.is_floating_point():
            return torch.equal(a, b), 0.0
        return _numbers(a.detach().double(), b.detach().double(), tolerance)
    if isinstance(a, float) and isinstance(b, float):
        pair = torch.tensor([a, b], dtype=torch.float64)
        return _numbers(pair[0], pair[1], tolerance)
    return type(a) is type(b) and not isinstance(a, torch.Tensor) and a == b, 0.0


def _numbers(a, b, tolerance):
    """Compare float64 tensors of one shape: whether they agree, and the difference."""
    odd = ~(a.isfinite() & b.isfinite())
    if not ((a == b) | (a.isnan() & b.isnan()))[odd].all():
        return False, math.inf
    a, b = a[~odd], b[~odd]
    if torch.equal(a, b):
        return True, 0.0
    scale = torch.maximum(a.abs().max(), b.abs().max()).item()
    if scale > 1e300:  # where a difference may overflow; powers of two change no digit
        a, b, scale = a / 4, b / 4, scale / 4
    distance = (a - b).abs().max().item()
    return distance <= tolerance * scale, distance / scale


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
    if not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance}, must be 0 or more")
    for step, (a, b) in enumerate(zip(run_a, run_b, strict=False)):
        parts, largest = [], 0.0
        for name in sorted({*a, *b}):
            agree, difference = False, 0.0
            if name in a and name in b:
                agree, difference = _held_together(a[name], b[name], tolerance)
            if not agree:
                parts.append(name)
                largest = max(largest, difference)
        if parts:
            return {"step": step, "parts": parts, "largest": largest}
    if len(run_a) != len(run_b):
        return {"step": min(len(run_a), len(run_b)), "parts": [], "largest": 0.0}
    return None


class _Before:
    """What a model may change while it runs: generator, buffers, modes and gradients."""

    def __init__(self, model):
        self.generator = torch.get_rng_state()
        self.modules = [
            (module, module.training, dict(module._buffers)) for module in model.modules()
        ]
        self.contents = [
            (tensor, tensor.detach().clone())
            for _, _, buffers in self.modules
            for tensor in buffers.values()
            if tensor is not None
        ]
        self.gradients = [
            (p, p.grad, None if p.grad is None else p.grad.detach().clone())
            for p in model.parameters()
        ]

    def put_back(self):
        """Put all of it back, into the tensors that were there."""
        torch.set_rng_state(self.generator)
        with torch.no_grad():
            for module, training, buffers in self.modules:
                module.training = training
                module._buffers.clear()
                module._buffers.update(buffers)
            for tensor, content in self.contents:
                _refill(tensor, content)
            for parameter, gradient, content in self.gradients:
                parameter.grad = gradient
                if gradient is not None:
                    _refill(gradient, content)


def _refill(tensor, content):
    """Write a content back, where it is another: not to disturb who has saved the tensor."""
    if tensor.shape != content.shape:
        tensor.resize_(content.shape)
    if _apart(content, tensor) != 0.0:
        tensor.copy_(content)


def _apart(mine, other):
    """Return how far a tensor is from the baseline's, which gives the scale."""
    if mine.shape != other.shape:
        return math.inf
    mine, other = mine.double(), other.double()
    same = (mine == other) | (mine.isnan() & other.isnan())
    if same.all():
        return 0.0
    finite = mine.isfinite()
    if not (same | (finite & other.isfinite())).all() or not finite.any():
        return math.inf
    scale = mine[finite].abs().max().item()
    if scale == 0.0:
        return math.inf
    return (mine - other)[~same].abs().max().item() / scale


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

    Baseline and boundaries start alike: torch's global generator and the buffers of the model are
    set to what they were when the function was called, so that dropout draws the same. Afterwards,
    also if the model raises, everything is as it was: the generator, the buffers, the number of
    threads, the mode of the model (which is used in the mode it is in) and the ``grad`` of its
    parameters.

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
    if x.dim() == 0 or len(x) == 0:
        raise ValueError("x has no rows")
    before = _Before(model)
    count = torch.get_num_threads()

    def measured(forward, number=1):
        """Return the output and the gradients, from the state of the beginning."""
        before.put_back()
        torch.set_num_threads(number)
        output = forward(x.clone())  # a clone: the model may change it
        tensors = {"output": output.detach().clone()}
        if output.requires_grad:
            wanted = {name: p for name, p in model.named_parameters() if p.requires_grad}
            loss = output.square().mean()
            found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
            pairs = zip(wanted, found, strict=True)
            tensors.update({name: value for name, value in pairs if value is not None})
        return tensors

    def row_by_row(rows):
        return torch.cat([model(rows[i : i + 1]) for i in range(len(rows))])

    report = {}
    try:
        with torch.enable_grad():
            baseline = measured(model)
            results = {
                "again": measured(model),
                "threads": measured(model, threads),
                "batch": measured(row_by_row),
            }
            if compiler is not None:
                torch.set_num_threads(1)
                results["compiled"] = measured(compiler(model))
    finally:
        torch.set_num_threads(count)
        before.put_back()
    for name, tensors in results.items():
        largest = math.inf
        if tensors.keys() == baseline.keys():
            largest = max(_apart(baseline[key], tensors[key]) for key in baseline)
        report[name] = {
            "bitwise": largest == 0.0,
            "largest": largest,
            "within": largest <= tolerance,
        }
    return report


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
    saved = _global_generators()
    try:
        torch.manual_seed(87)
        random.seed(87)
        np.random.seed(87)
        x = torch.randn(50, 6)
        y = x[:, 0] - x[:, 1] * x[:, 2]
        model = nn.Sequential(
            nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 16), nn.ReLU(),
            nn.Linear(16, 1),
        )
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (1 + 0.05 * n))
        run = Run(model, optimizer, scheduler, None, None, (x, y), batch_size=8, seed=78)
        if os.path.exists(path):
            restore_run(run, torch.load(path, weights_only=True))
        losses = []
        while run.step < steps:
            losses.append(run.train_step().item())
        buffer = io.BytesIO()
        torch.save(run_state(run), buffer)
        _replace_file(path, buffer.getbuffer())
    finally:
        _set_global_generators(saved)
    return losses
