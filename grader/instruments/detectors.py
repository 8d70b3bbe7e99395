"""Which of three detectors sees something in a step: forward hook, anomaly detection, node hook.

Each is the real one: the forward hook is asked about the values that the step notes, anomaly
detection is PyTorch's own, the node hook is `grader.instruments.bad_nodes`. The step runs three
times and has to do the same each time.

Blind to: values that the step does not note.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import torch

from grader.instruments.bad_nodes import NodeRun, record_backward

Trace = list[tuple[str, Any]]
Step = Callable[[Trace], Any]
"""Runs a forward, appends ``(name, value)`` to the trace, and returns the loss."""


@dataclass(frozen=True, slots=True)
class Row:
    """What was seen.

    Attributes:
        trace: Values of the forward in order, detached.
        nodes: The backward, node by node.
        bad_values: Bad entries of the forward, without those that are allowed.
        blamed: Node that anomaly detection names; empty if it is silent.
    """

    trace: tuple[tuple[str, Any], ...]
    nodes: tuple[NodeRun, ...]
    bad_values: int
    blamed: str

    @property
    def forward(self) -> bool:
        """Whether a forward hook sees something."""
        return self.bad_values > 0

    @property
    def anomaly(self) -> bool:
        """Whether anomaly detection does."""
        return bool(self.blamed)

    @property
    def node(self) -> bool:
        """Whether a node hook does."""
        return any(run.born for run in self.nodes)

    @property
    def word(self) -> str:
        """The three as ``no_no_yes``."""
        return "_".join("yes" if s else "no" for s in (self.forward, self.anomaly, self.node))


def detector_row(step: Step, allow: Collection[str] = ()) -> Row:
    """Run a step under each detector.

    Args:
        step: See `Step`.
        allow: Names of values that may hold -inf.
    """
    trace: Trace = []
    nodes = record_backward(step(trace))
    kept = tuple((name, value.detach().clone()) for name, value in trace)
    bad = sum(bad_entries(value, allow_masked=name in allow) for name, value in kept)
    return Row(kept, nodes, bad, anomaly_node(lambda: step([])))


def bad_entries(value: Any, *, allow_masked: bool = False) -> int:
    """Return how many entries of a tensor are NaN or infinite, -inf left out where it is meant."""
    bad = ~value.isfinite()
    if allow_masked:
        bad &= value != -torch.inf
    return int(bad.sum())


def anomaly_node(fn: Callable[[], Any]) -> str:
    """Run a forward and its backward under anomaly detection; return the node that it names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.autograd.detect_anomaly(check_nan=True):
                fn().backward()
        except RuntimeError as error:
            found = re.search(r"Function '(\S+)' returned nan values", str(error))
            if found is None:
                raise
            return found[1]
    return ""


def answers_known_question() -> bool:
    """Whether the three are told apart by log(-1), whose loss is NaN and whose gradient is not."""

    def step(trace: Trace) -> Any:
        x = torch.tensor([-1.0], requires_grad=True)
        trace.append(("log", x.log()))
        return trace[-1][1].sum()

    return detector_row(step).word == "yes_no_no"
