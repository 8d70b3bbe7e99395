"""Models of layers with a fault at a drawn place, for the probes `forward` and `mortem`."""

from __future__ import annotations


def names(draw, count):
    """Return that many different names, in no order."""
    return draw.shuffled([f"{draw.name(4)}{number}" for number in range(count)])


def place_in(draw, *shape):
    """Return an index into a tensor of this shape."""
    return [draw.integer(0, n - 1) for n in shape]


def layers(draw, kinds):
    """Return modules in a random order of registration, and their names in the order they run."""
    plan = names(draw, len(kinds))
    modules = [[name, *kind] for name, kind in zip(plan, kinds, strict=True)]
    return draw.shuffled(modules), plan


def case_of(draw, kinds, **more):
    """Return the case of a model of these kinds of modules, and the names of its modules."""
    modules, plan = layers(draw, kinds)
    case = {"modules": modules, "plan": plan, "x": draw.normal((3, 4)), "seed": draw.seed % 1000}
    return {**case, **more}, plan
