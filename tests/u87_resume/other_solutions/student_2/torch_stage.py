"""Unit 8.7, PyTorch stage: the whole state of a run, saved to survive, and equality defined first.

Everything runs on a CPU. Nothing here leaves a setting of torch changed behind it.
"""

import contextlib
import io
import math
import os
import random
import re
import zipfile
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
    loader = {name: _own(getattr(run, name)) for name in ("before_epoch", "order")}
    loader |= {name: int(getattr(run, name)) for name in ("position", "epoch")}
    loader["generator"] = run.generator.get_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {
        "model": dict(_portable(run.model)),
        "optimizer": _own(run.optimizer.state_dict()),
        "scheduler": None if run.scheduler is None else _own(run.scheduler.state_dict()),
        "scaler": None if run.scaler is None else _own(run.scaler.state_dict()),
        "ema": None if run.ema is None else dict(_portable(run.ema)),
        "loader": loader,
        "step": int(run.step),
        "rng": {
            "torch": torch.get_rng_state(),
            "python": random.getstate(),
            "numpy": _own(np.random.get_state(legacy=False)),
            "cuda": [state.clone() for state in cuda],
        },
    }


def _own(value):
    """Return a copy that shares no memory, of plain containers, tensors and Python's numbers."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        kind = Counter if isinstance(value, Counter) else dict
        return kind({_own(key): _own(entry) for key, entry in value.items()})
    if isinstance(value, tuple):
        return tuple(map(_own, value))
    if isinstance(value, list):
        return list(map(_own, value))
    return value


def _plain_name(name):
    """Return a name without the parts that torch.compile puts into it."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def _portable(model):
    """Yield the plain names of a model's state with copies of the values."""
    for name, value in model.state_dict().items():
        yield _plain_name(name), _own(value)


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
    for problem in _problems(run, state):
        raise ValueError(problem)
    state = _own(state)
    for module, saved in ((run.model, state["model"]), (run.ema, state["ema"])):
        if module is not None:
            names = module.state_dict().keys()
            module.load_state_dict({name: saved[_plain_name(name)] for name in names})
    _fill_optimizer(run.optimizer, state["optimizer"])
    if run.scheduler is not None:
        run.scheduler.load_state_dict(state["scheduler"])
    if run.scaler is not None:
        run.scaler.load_state_dict(state["scaler"])
    loader, rng = state["loader"], state["rng"]
    run.generator.set_state(loader["generator"])
    for name in ("before_epoch", "order", "position", "epoch"):
        setattr(run, name, loader[name])
    run.step = state["step"]
    if torch.cuda.is_available() and len(rng["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(rng["cuda"])
    # The order: nothing after these lines may draw a number.
    np.random.set_state(rng["numpy"])
    random.setstate(rng["python"])
    torch.set_rng_state(rng["torch"])


def _fill_optimizer(optimizer, saved):
    """Load an optimizer's state in the dtypes it was saved in (torch casts to the parameter's)."""
    optimizer.load_state_dict(saved)
    numbers = (number for group in saved["param_groups"] for number in group["params"])
    owners = (owner for group in optimizer.param_groups for owner in group["params"])
    for number, owner in zip(numbers, owners, strict=True):
        for name, value in saved["state"].get(number, {}).items():
            now = optimizer.state[owner][name]
            if isinstance(value, torch.Tensor) and now.dtype != value.dtype:
                optimizer.state[owner][name] = value.to(now.device)


def _problems(run, state):
    """Yield what keeps a state from being restored into a run."""
    parts = ("model", "optimizer", "scheduler", "scaler", "ema", "loader", "step", "rng")
    missing = [name for name in parts if name not in state]
    if missing:
        yield "the state has no " + ", ".join(missing)
        return
    for name in ("scheduler", "scaler", "ema"):
        if (state[name] is None) != (getattr(run, name) is None):
            yield f"only one of the state and the run has a {name}"
            return
    inside = {
        "loader": ("before_epoch", "order", "position", "epoch", "generator"),
        "rng": ("torch", "python", "numpy", "cuda"),
        "optimizer": ("state", "param_groups"),
    }
    for part, names in inside.items():
        for name in names:
            if name not in state[part]:
                yield f"the state has no {name} in {part}"
                return
    for part in ("model", "ema"):
        if state[part] is not None:
            live = getattr(run, part).state_dict()
            mine = {_plain_name(name): getattr(value, "shape", ()) for name, value in live.items()}
            theirs = {name: getattr(value, "shape", ()) for name, value in state[part].items()}
            if mine != theirs:
                yield f"the {part} of the state is not of the run's architecture"
    sizes = (
        [len(group["params"]) for group in groups]
        for groups in (run.optimizer.param_groups, state["optimizer"]["param_groups"])
    )
    if next(sizes) != next(sizes):
        yield "the optimizer of the state has other parameters"


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
        raise ValueError("keep must be 1 or more")
    folder = Path(folder)
    step = int(state["step"])
    path = folder / f"step-{step:08d}.pt"
    memory = io.BytesIO()
    torch.save(state, memory)  # what cannot be saved raises before there is any file
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _exchange(directory, path.name, memory.getbuffer())
        os.fsync(directory)
        # From here on the new one is safe, and only from here on others may go.
        steps = sorted((number for number, _ in _checkpoints(folder)), reverse=True)
        stay = {step, *steps[:keep]}
        for number, name in _checkpoints(folder):
            if number not in stay:
                os.unlink(name, dir_fd=directory)
    finally:
        os.close(directory)
    return path


def _exchange(directory, name, content):
    """Give a name in an open folder to a new file whose content is on the disk."""
    part = f".{os.urandom(12).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    file = os.open(part, flags, 0o666, dir_fd=directory)
    try:
        try:
            while content:
                content = content[os.writev(file, [content[: 1 << 24], content[1 << 24 :]]) :]
            os.fdatasync(file)
        finally:
            os.close(file)
        os.replace(part, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        os.unlink(part, dir_fd=directory)
        raise


def _checkpoints(folder):
    """Return pairs of step and name of what lies in a folder under a checkpoint's name."""
    with os.scandir(folder) as entries:
        found = [
            (int(match[1]), entry.name)
            for entry in entries
            if (match := re.fullmatch(r"step-([0-9]{8}|[1-9][0-9]{8,})\.pt", entry.name))
            and entry.is_file()
        ]
    return sorted(found)


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
    for step, name in reversed(_checkpoints(folder)):
        with contextlib.suppress(Exception), open(Path(folder) / name, "rb") as file:
            if zipfile.ZipFile(file).testzip() is None:  # torch itself does not look at the sums
                file.seek(0)
                state = torch.load(file, map_location="cpu", weights_only=True)
                if isinstance(state, dict) and state.get("step") == step:
                    return state
    raise FileNotFoundError(f"no checkpoint in {folder} can be loaded")


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
        raise ValueError("the tolerance must be 0 or more")
    for step, (a, b) in enumerate(zip(run_a, run_b, strict=False)):
        parts, largest = [], 0.0
        for name in sorted({*a, *b}):
            agree, difference = name in a and name in b, 0.0
            if agree:
                for same, gap in _leaves(a[name], b[name], tolerance):
                    agree, difference = agree and same, max(difference, gap)
            if not agree:
                parts.append(name)
                largest = max(largest, difference)
        if parts:
            return {"step": step, "parts": parts, "largest": largest}
    if len(run_a) != len(run_b):
        return {"step": min(len(run_a), len(run_b)), "parts": [], "largest": 0.0}
    return None


def _leaves(a, b, tolerance):
    """Yield for every pair that is compared inside two values: agreed, and the difference."""
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            yield a.keys() == b.keys(), 0.0
            todo.extend((a[key], b[key]) for key in a if key in b)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            yield len(a) == len(b), 0.0
            todo.extend(zip(a, b, strict=False))
        elif isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            if a.dtype != b.dtype or a.shape != b.shape:
                yield False, 0.0
            elif a.is_floating_point():
                yield _agree(_spread(a, b), tolerance)
            else:
                yield torch.equal(a, b), 0.0
        elif isinstance(a, float) and isinstance(b, float):
            pair = (torch.tensor([value], dtype=torch.float64) for value in (a, b))
            yield _agree(_spread(*pair), tolerance)
        else:
            yield type(a) is type(b) and bool(a == b), 0.0


def _agree(found, tolerance):
    """Return whether tensors with this spread agree, and their difference."""
    spread, size_a, size_b = found
    size = max(size_a, size_b)
    if spread == 0.0 or spread == math.inf:
        return spread == 0.0, spread
    return spread <= tolerance * size, spread / size


def _spread(a, b):
    """Return the largest distance of two tensors' finite entries, and the largest entry of each.

    The three have a unit of their own, which no ratio of them shows. The distance is infinite if NaN and infinities do not stand at the same places.
    """
    a, b = (value.detach().to(torch.float64).reshape(-1) for value in (a, b))
    finite = a.isfinite()
    odd_a, odd_b = a[~finite], b[~finite]
    if not finite.equal(b.isfinite()) or not bool(
        ((odd_a == odd_b) | (odd_a.isnan() & odd_b.isnan())).all()
    ):
        return math.inf, _top(a[finite]), _top(b[b.isfinite()])
    a, b = a[finite], b[finite]
    if max(_top(a), _top(b)) > 1e300:  # the distance may be more than a float can hold
        a, b = a * 2.0**-10, b * 2.0**-10
    return _top(a - b), _top(a), _top(b)


def _top(values):
    """Return the largest absolute value, 0.0 of none."""
    return values.abs().max().item() if values.numel() else 0.0


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
    if x.ndim == 0 or not len(x):
        raise ValueError("x has no rows")
    before = _Surroundings(model)
    named = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def tensors(call, count=1):
        """Return the output and the gradients, None where the output does not depend on one."""
        before.put_back()
        torch.set_num_threads(count)
        output = call(x)
        loss = output.square().mean()
        gradients = [None] * len(named)
        if loss.requires_grad:
            gradients = torch.autograd.grad(loss, named, allow_unused=True)
        return [output.detach().clone(), *gradients]

    def row_by_row(rows):
        return torch.cat([model(rows[i : i + 1]) for i in range(len(rows))])

    try:
        with torch.inference_mode(False), torch.enable_grad():
            baseline = tensors(model)
            found = {
                "again": tensors(model),
                "threads": tensors(model, threads),
                "batch": tensors(row_by_row),
            }
            if compiler is not None:
                found["compiled"] = tensors(compiler(model))
    finally:
        before.put_back()
    report = {}
    for name, others in found.items():
        gaps = [
            _moved(one, other)
            for one, other in zip(baseline, others, strict=True)
            if one is not None or other is not None
        ]
        largest = max(gaps)
        report[name] = {
            "bitwise": largest == 0.0,
            "largest": largest,
            "within": largest <= tolerance,
        }
    return report


def _moved(one, other):
    """Return how far a tensor is from the baseline's, relative to the baseline's largest entry."""
    if one is None or other is None or one.shape != other.shape:
        return math.inf
    spread, size, _ = _spread(one, other)
    if spread == 0.0:
        return 0.0
    return spread / size if size else math.inf


class _Surroundings:
    """What a call of a model may change, kept so that it can be put back any number of times."""

    def __init__(self, model):
        self.threads, self.random = torch.get_num_threads(), torch.get_rng_state()
        self.modes = [(module, module.training) for module in model.modules()]
        self.grads = [
            (p, p.grad, None if p.grad is None else p.grad.clone()) for p in model.parameters()
        ]
        self.buffers = [
            (
                module._buffers,
                [
                    (name, now, None if now is None else now.detach().clone())
                    for name, now in module._buffers.items()
                ],
            )
            for module in model.modules()
        ]

    @torch.no_grad()
    def put_back(self):
        """Restore threads, generator, modes, buffers (the same objects) and gradients."""
        torch.set_num_threads(self.threads)
        torch.set_rng_state(self.random)
        for module, training in self.modes:
            module.training = training
        for names, entries in self.buffers:
            names.clear()
            for name, now, value in entries:
                names[name] = now
                if now is not None:
                    now.copy_(value)
        for parameter, grad, value in self.grads:
            parameter.grad = grad
            if grad is not None:
                grad.copy_(value)


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
    with torch.random.fork_rng(devices=[]):
        book = _Book()
        if os.path.exists(path):
            book.read(torch.load(path, weights_only=True))
        losses = [next(book) for _ in range(book.made, steps)]
        memory = io.BytesIO()
        torch.save(book.written(), memory)
    where, name = os.path.split(os.path.abspath(path))
    directory = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _exchange(directory, name, memory.getbuffer())
        os.fsync(directory)
    finally:
        os.close(directory)
    return losses


class _Book:
    """The run of `closed_book_run`: an iterator over its losses."""

    N, BATCH, SEED = 50, 8, 2026

    def __init__(self):
        torch.manual_seed(self.SEED)
        self.x = torch.randn(self.N, 6)
        self.y = (self.x @ torch.randn(6, 1)).tanh()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-2)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.97)
        self.shuffler = torch.Generator().manual_seed(self.SEED)
        self.order, self.used, self.epoch, self.made = None, 0, 0, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.order is None:
            self.order = torch.randperm(self.N, generator=self.shuffler)
        rows = self.order[self.used * self.BATCH :][: self.BATCH]
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.net(self.x[rows]), self.y[rows])
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        self.used, self.made = self.used + 1, self.made + 1
        if self.used * self.BATCH >= self.N:
            self.order, self.used, self.epoch = None, 0, self.epoch + 1
        return loss.item()

    def written(self):
        """Return the complete state."""
        return _own({
            "model": dict(self.net.state_dict()),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "shuffler": self.shuffler.get_state(),
            "order": self.order,
            "used": self.used,
            "epoch": self.epoch,
            "step": self.made,
            "torch": torch.get_rng_state(),
        })

    def read(self, state):
        """Go on from a complete state."""
        self.net.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.shuffler.set_state(state["shuffler"])
        self.order, self.used = state["order"], state["used"]
        self.epoch, self.made = state["epoch"], state["step"]
        torch.set_rng_state(state["torch"])
