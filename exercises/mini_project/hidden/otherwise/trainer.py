"""The training run of the project, written otherwise: as sound, but nothing is where it was.

All methods are the same few lines; what they do stands in a table. The numbers are others too.
"""

import copy
import random

import adapter
import torch

WEIGHT, LONGEST, OFTEN = 2.0**-14, 0.5, 3
PARTS = {}


def part(made):
    """Put a function into the table."""
    PARTS[made.__name__] = made
    return made


def told(name):
    """Return a method that does what the table says."""

    def method(self, *given):
        return PARTS[name](self, *given)

    return method


def slower(done):
    """Return what the rate is multiplied by."""
    return 0.98**done


@part
def begin(run, seed):
    """Make everything from a seed."""
    run.model = adapter.make_model(seed)
    run.batches = tuple(adapter.make_batches(seed))
    weights = run.model.parameters()
    run.optimizer = torch.optim.AdamW(weights, lr=1e-3, eps=1e-16, weight_decay=0.02)
    run.scheduler = torch.optim.lr_scheduler.LambdaLR(run.optimizer, slower)
    run.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**15)
    run.loss_weight, run.max_norm = WEIGHT, LONGEST
    run.generator = random.Random(seed + 1)
    run.order, run.log, run.steps = [], [], 0
    torch.manual_seed(seed + 1)


@part
def hand_out(run):
    """Hand out batches for ever."""
    while True:
        if len(run.order) == 0:
            run.order = run.generator.sample(range(len(run.batches)), len(run.batches))
        yield run.batches[run.order.pop(0)]


@part
def weigh(run, batch):
    """Return the weighted loss of a batch."""
    return run.loss_weight * adapter.loss(run.model, batch)


@part
def look(run, batch):
    """Return the weighted loss in mixed precision."""
    with torch.autocast("cpu", torch.float16):
        weighted = run.objective(batch)
    return weighted


@part
def pull(run, weighted):
    """Leave the gradients of the scaled loss."""
    run.scaler.scale(weighted).backward()


@part
def shorten(run):
    """Clip by hand, before the scale is taken off: the limit is scaled as the gradients are."""
    slopes = [w.grad for w in run.model.parameters() if w.grad is not None]
    limit = run.scaler.scale(torch.tensor(run.max_norm * run.loss_weight))
    length = torch.stack([slope.norm() for slope in slopes]).norm()
    factor = (limit / length).clamp(max=1.0)
    for slope in slopes:
        slope.mul_(factor)


@part
def move(run):
    """Make the optimizer's step."""
    PARTS["shorten"](run)
    run.scaler.step(run.optimizer)
    run.scaler.update()
    run.optimizer.zero_grad()
    run.scheduler.step()
    run.steps = run.steps + 1


@part
def go(run, batch):
    """Make one step on a batch."""
    weighted = run.forward(batch)
    run.backward(weighted)
    run.update()
    if run.steps % OFTEN == 1:
        run.log.append((run.steps, weighted.detach()))
    return weighted.detach()


@part
def keep(run):
    """Return a copy of what the next step depends on."""
    parts = {name: getattr(run, name).state_dict() for name in KEPT}
    place = (run.steps, list(run.order), run.generator.getstate())
    return copy.deepcopy({**parts, "place": place, "noise": torch.get_rng_state()})


@part
def put_back(run, kept):
    """Go on from a state."""
    kept = copy.deepcopy(kept)
    for name in KEPT:
        getattr(run, name).load_state_dict(kept[name])
    run.steps, run.order, state = kept["place"]
    run.generator.setstate(state)
    torch.set_rng_state(kept["noise"])


KEPT = ("model", "optimizer", "scheduler", "scaler")


class Run:
    """One model in training; the table says what it does."""

    __init__ = told("begin")
    stream = told("hand_out")
    objective = told("weigh")
    forward = told("look")
    backward = told("pull")
    update = told("move")
    step = told("go")
    state_dict = told("keep")
    load_state_dict = told("put_back")


def make_trainer(seed):
    """Return a new run."""
    return Run(seed)
