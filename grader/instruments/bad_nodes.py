"""What each node of a backward was given and gave out, and where gradients first went bad.

A hook on every node of the graph sees its gradients after it has run, infinities as well as NaN,
which anomaly detection does not. A gradient is *bad* if an entry is NaN or infinite.

Blind to: the forward, and code inside a node (a custom function's intermediate values). A value
used twice has its gradients added between two nodes; a sum that overflows is seen where it comes
in, with ``born`` false.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One node of a backward, after it has run.

    Attributes:
        name: Such as ``"SqrtBackward0"``.
        incoming: Gradients that came in, copies; None where there was none.
        outgoing: Gradients that it gave out, copies; None where none is needed.
    """

    name: str
    incoming: tuple[Any, ...]
    outgoing: tuple[Any, ...]

    @property
    def born(self) -> bool:
        """Whether it made a bad gradient out of finite ones."""
        return _finite(self.incoming) and not _finite(self.outgoing)

    @property
    def touched(self) -> bool:
        """Whether any of its gradients is bad."""
        return not (_finite(self.incoming) and _finite(self.outgoing))


def record_backward(loss: Any) -> tuple[NodeRun, ...]:
    """Run ``loss.backward()`` and return its nodes in the order in which they ran."""
    runs: list[NodeRun] = []
    hooks = [node.register_hook(_recorder(node.name(), runs)) for node in nodes_of(loss)]
    try:
        loss.backward()
    finally:
        for hook in hooks:
            hook.remove()
    return tuple(runs)


def first_bad_node(loss: Any) -> NodeRun | None:
    """Run ``loss.backward()`` and return the first node that any bad gradient touched."""
    return next((run for run in record_backward(loss) if run.touched), None)


def nodes_of(loss: Any) -> tuple[Any, ...]:
    """Return every node of the loss's graph once, leaves included, in no particular order."""
    found = dict.fromkeys([loss.grad_fn])
    waiting = list(found)
    while waiting:
        fresh = [n for n, _ in waiting.pop().next_functions if n is not None and n not in found]
        found.update(dict.fromkeys(fresh))
        waiting += dict.fromkeys(fresh)
    return tuple(found)


def answers_known_question() -> bool:
    """Whether the infinite slope of a root at 0 is found, and a plain sum is clean."""
    x = torch.zeros(2, requires_grad=True)
    found = first_bad_node(x.sqrt().sum())
    clean = first_bad_node((x + 1).sum())
    return found is not None and found.name == "SqrtBackward0" and found.born and clean is None


def _recorder(name: str, runs: list[NodeRun]) -> Any:
    def hook(outgoing: tuple[Any, ...], incoming: tuple[Any, ...]) -> None:
        runs.append(NodeRun(name, _copies(incoming), _copies(outgoing)))

    return hook


def _copies(gradients: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if gradient is None else gradient.detach().clone() for gradient in gradients)


def _finite(gradients: tuple[Any, ...]) -> bool:
    return all(gradient is None or bool(gradient.isfinite().all()) for gradient in gradients)
