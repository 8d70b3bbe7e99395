"""Unit 8.6, PyTorch stage: checkpoint a model, report what it costs, prove that nothing changed.

A *model* here is a `torch.nn.Sequential` of n blocks; each block takes one tensor and returns one.
Blocks may draw random numbers (dropout), and may keep state in buffers, which they read and write
when they run: BatchNorm's running statistics, or a count. Letters in shapes: B batch, D width,
n blocks, k segments.

Segments are those of `segment_spans` in the NumPy stage: their lengths differ by at most one, and
the longer ones come last. A function that changes a setting of the process puts it back before it
returns. Everything runs on a CPU, and on a device in the same way.
"""

import copy
from contextlib import nullcontext

import torch
from torch import nn
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)
from torch.utils.flop_counter import FlopCounterMode


def checkpointed(model, segments):
    """Return a module that computes what the model does, and keeps only the segments' inputs.

    Between forward and backward nothing inside a segment stays in memory; in the backward each
    segment is run again, the last one first. Every segment is checkpointed, the last one too.

    Whatever is computed is what the model alone computes, bit for bit: output, gradients of
    parameters and input, buffers afterwards, and where torch's random generator stands.
    That holds

    - where the input of the first block is data that needs no gradient, where parameters are
      frozen or shared between blocks, for batches of size 0 or 1 and for inputs that are views;
    - for `Tensor.backward` and `torch.autograd.grad`, and under `torch.autocast`;
    - for blocks with dropout, and if torch's generator was used between forward and backward;
    - for blocks with buffers: when a segment is run again, its blocks find every buffer as the
      forward that is run again found it, though other forwards ran since, and what they write there
      is thrown away. A forward without a backward updates buffers as usual, and a graph that is
      kept (`retain_graph`) can be run backward again. (State outside of buffers, such as a Python
      attribute, is out of reach; `step_differences` finds such a block.)
    - in training and evaluation mode, which is that of each layer when it runs, and without
      gradients, when nothing is run again.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor. Its parameters are the model's own, the same
        objects in the same order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    raise NotImplementedError("8.6.h")


def recompute_report(model, x, segments, meter, early_stop=True):
    """Measure one forward and backward of a model: bytes by phase, calls, FLOPs.

    The forward is ``y = f(x)``, the backward ``y.sum().backward()``, where f is the model itself if
    `segments` is None, else ``checkpointed(model, segments)``. `early_stop` is the setting of
    `torch.utils.checkpoint.set_checkpoint_early_stop`: the recomputation of a segment ends as soon
    as all that its backward needs is there. (A `checkpointed` that is not built on
    `torch.utils.checkpoint` has no early stop; report on one that is.)

    The ledger has a run of its own: FlopCounterMode holds on to tensors of checkpointed regions, so
    that a peak that is taken beside it is too high.

    The model is left as it was found: its gradients, its buffers, its mode, no hook stays on it or
    on all modules; torch's random generator stands where it stood. What is measured is a first step
    of the model, each layer in the mode it is in: no gradient exists before it.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        x: Input ``[B, D]``; data, it needs no gradient.
        segments: Segments k, from 1 to n, or None.
        meter: ``meter()`` makes a new ledger of live bytes with the interface of
            `grader.instruments.live_bytes.LiveBytes`: ``ledger.track(model, x)`` takes in what
            exists already (a view of a weight would count as new bytes otherwise);
            ``with ledger:`` switches it on; ``with ledger.phase(name):`` inside it measures a
            phase, and then ``ledger.phases[name]`` has the attributes ``before``, ``peak``
            and ``after`` [B].
        early_stop: Whether recomputation may stop early.

    Returns:
        A dict with

        - ``"live"``: bytes that the forward left in memory, its output among them [B]: ``after``
          less ``before`` of the forward.
        - ``"peak"``: ``{"forward": B, "backward": B}``, the most in each phase, less what was there
          before the forward [B]. In the backward this includes the gradients.
        - ``"calls"``: how often the forward of each block was called in the step, a list of n.
          A call that ends early is a call.
        - ``"flops"``: ``{"forward": FLOP, "backward": FLOP, "ratio": 1}`` by `FlopCounterMode`; the
          ratio is both together over the forward, NaN if the forward has none.

    Raises:
        ValueError: If `segments` is neither None nor from 1 to n.
    """
    raise NotImplementedError("8.6.i")


def step_differences(make_plain, make_other, x, seed=0):
    """Run the same step on two models and name what is not the same, bit for bit.

    Each model is made, then torch's generator is seeded with `seed`, then it runs
    ``y = model(x)`` and ``y.sum().backward()``, on an input of its own, which is `x` detached and
    copied, and needs a gradient if `x` does. `x` itself is left alone, and torch's generator
    stands where it stood.

    Bits decide: NaN in the same place is the same, a gradient of zeros is not a missing gradient,
    another dtype or shape is a difference.

    Args:
        make_plain: Returns a new model, the one that is right.
        make_other: Returns a new model with the same weights, parameters and buffers in the same
            order; their names may differ (``parts.0.0.weight``).
        x: Input.
        seed: For torch's generator, right before each forward.

    Returns:
        List of texts, empty if nothing differs, in this order: ``"output"``; ``"input gradient"``;
        ``"gradient of NAME"`` for each parameter; ``"buffer NAME"`` for each buffer after the
        step; ``"random state"`` if torch's generator stands elsewhere after the step. Names are
        those that the plain model has for them.

    Raises:
        ValueError: If the models do not have equally many parameters, or buffers.
    """
    raise NotImplementedError("8.6.j")


def selective(model, segments):
    """Return a module like `checkpointed` that keeps the results of matrix products.

    Matrix products are the expensive part of a forward; what lies between them (activations,
    dropout, norms) is cheap to run again and takes as much memory. So in the backward no product
    is run a second time: FlopCounterMode counts what it counts for the model alone. All else that
    lies inside a segment is run again.

    Everything that `checkpointed` promises about results holds here too, for one backward of a
    graph: what is kept is used up by it.

    Args:
        model: `torch.nn.Sequential` of n blocks. Products are those of `torch.nn.Linear`,
            `torch.matmul` and `torch.bmm`, with and without bias, of matrices and of batches.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor, with the model's own parameters in order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    raise NotImplementedError("8.6.k")


def checkpoint_by_hand(block, x):
    """Closed book: checkpoint one block yourself, without `torch.utils.checkpoint`.

    Without notes: write a `torch.autograd.Function` that runs the block without recording, keeps
    its input and the state of torch's generator, and in the backward runs the block again, records
    this time, and returns the gradients.

    What holds afterwards:

    - output and gradients are those of ``block(x)``, bit for bit, with dropout too, and for blocks
      that have no parameters, or one that they do not use;
    - the gradients of the block's parameters are there also if `x` is data that needs none; that
      of `x` is there if it needs one; frozen parameters have none. Both `Tensor.backward` and
      `torch.autograd.grad` work;
    - nothing inside the block stays in memory between forward and backward;
    - the block's forward is called twice, and after the backward torch's generator stands where it
      stood before it.

    Buffers are out of scope here, and so is a second derivative.

    Args:
        block: `torch.nn.Module`, called with one tensor, returns one; gradients are recorded.
        x: Its input.

    Returns:
        Its output, ready for a backward.
    """
    raise NotImplementedError("8.6.l")
