"""Count the FLOPs of matrix products, convolutions and attention, forward and backward apart.

The counting is torch's `FlopCounterMode`, plus one thing it lacks on a CPU: the fused attention
kernel of the CPU build has no formula there, so torch alone counts the whole of attention as 0.
`count_flops(..., cpu_attention=False)` shows what torch alone counts.

A multiply-add counts as 2 FLOP. Causal attention is counted like full attention.

Blind to: element-wise work, softmax, norms, embeddings, `mv`, `dot`, recurrent layers (one fused
operator each on a CPU), decompositions such as `inverse`, the optimizer, and whatever a C++
extension computes. Recomputation under activation checkpointing is counted, in the backward.
Exact and repeatable; no clock is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FlopCount:
    """What one forward and its backward cost.

    Attributes:
        forward: [FLOP].
        backward: [FLOP]; 0 when there was nothing to differentiate.
        forward_by_op: The forward's share of each operator, ``{"aten.addmm": FLOP}``.
        backward_by_op: The same for the backward.
        forward_by_module: The forward's share of each module, children included,
            ``{"DigitsMLP.layers.0": FLOP}``. The backward is not split: torch attributes a
            gradient to the wrong module when a module's input needs none.
    """

    forward: int
    backward: int
    forward_by_op: Mapping[str, int]
    backward_by_op: Mapping[str, int]
    forward_by_module: Mapping[str, int]

    @property
    def total(self) -> int:
        """Forward and backward together [FLOP]."""
        return self.forward + self.backward


def count_flops(fn: Callable[[], Any], *, cpu_attention: bool = True) -> FlopCount:
    """Run `fn` once, then the backward of what it returns, and count both.

    The backward runs when `fn` returns a tensor that requires a gradient; it adds to ``.grad`` as
    any backward does. A tensor that is no scalar is given a gradient of ones.

    Args:
        fn: The forward, without arguments.
        cpu_attention: Whether to count the fused attention of the CPU build, which torch does not.
    """
    counter = FlopCounterMode(
        display=False, custom_mapping=cpu_attention_formulas() if cpu_attention else None
    )
    with counter:
        result = fn()
        forward = counter.get_flop_counts()
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.backward(torch.ones_like(result))
        both = counter.get_flop_counts()
    forward_ops = _by_op(forward)
    backward_ops = {
        name: count - forward_ops.get(name, 0)
        for name, count in _by_op(both).items()
        if count > forward_ops.get(name, 0)
    }
    return FlopCount(
        forward=sum(forward_ops.values()),
        backward=sum(backward_ops.values()),
        forward_by_op=forward_ops,
        backward_by_op=backward_ops,
        forward_by_module={
            name: sum(ops.values()) for name, ops in forward.items() if name != "Global"
        },
    )


def attention_forward_flops(query: Shape, key: Shape, value: Shape) -> int:
    """Return ``2 B H Tq Tk (Dq + Dv)``, the two products of attention [FLOP].

    Shapes are ``[B, H, Tq, Dq]``, ``[B, Hk, Tk, Dq]``, ``[B, Hk, Tk, Dv]``. Grouped keys and values
    are counted once for every query head, as the kernel uses them.
    """
    batch, heads, queries, width = query
    keys, value_width = key[-2], value[-1]
    return 2 * batch * heads * queries * keys * (width + value_width)


def attention_backward_flops(query: Shape, key: Shape, value: Shape) -> int:
    """Return ``2 B H Tq Tk (3 Dq + 2 Dv)`` [FLOP]: the scores again, then four gradient products.

    With ``Dq == Dv`` that is 2.5 times the forward, where attention from two separate matrix
    products costs 2 times the forward.
    """
    batch, heads, queries, width = query
    keys, value_width = key[-2], value[-1]
    return 2 * batch * heads * queries * keys * (3 * width + 2 * value_width)


def answers_known_question() -> bool:
    """Whether a product of known size, with its backward, and one attention are counted right."""
    left = torch.ones(3, 4, requires_grad=True)
    right = torch.ones(4, 5, requires_grad=True)
    product = count_flops(lambda: left @ right)
    tokens = torch.ones(1, 2, 3, 4)
    attention = count_flops(
        lambda: torch.nn.functional.scaled_dot_product_attention(tokens, tokens, tokens)
    )
    return (product.forward, product.backward, attention.forward) == (120, 240, 288)


def _by_op(counts: Mapping[str, Mapping[Any, int]]) -> dict[str, int]:
    """Return the counts of all modules together, by the operator's name."""
    return {str(op): count for op, count in counts.get("Global", {}).items()}


def cpu_attention_formulas() -> dict[Any, Callable[..., int]]:
    """Return formulas for the two operators of CPU attention, in the form torch asks for.

    torch replaces every tensor argument by its shape before it calls a formula; it must be given
    plain functions, since it wraps them itself.
    """

    def forward(query: Shape, key: Shape, value: Shape, *rest: Any, **named: Any) -> int:
        return attention_forward_flops(query, key, value)

    def backward(
        gradient: Shape, query: Shape, key: Shape, value: Shape, *rest: Any, **named: Any
    ) -> int:
        return attention_backward_flops(query, key, value)

    aten = torch.ops.aten
    return {
        aten._scaled_dot_product_flash_attention_for_cpu: forward,
        aten._scaled_dot_product_flash_attention_for_cpu_backward: backward,
    }
