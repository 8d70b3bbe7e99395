"""Unit 8.1, NumPy stage: what a backward needs, in which order it runs, what that costs in bytes.

Letters in shapes: B batch, n inputs, m outputs, C classes. Units are in brackets. Only NumPy and
the standard library are needed. No function changes the arrays, lists and dicts it is handed.

A *vjp function* runs one operation forward and returns ``(output, saved, pull)``:

- ``saved`` is a tuple of arrays, what the backward needs and nothing else;
- ``pull(saved, g)`` takes that tuple (or an equal one) and the gradient of the output, and returns
  a tuple with one gradient for each entry of ``needs``, None where ``needs`` says False. It reads
  `saved` and `g` alone: by then the operation's own arguments may hold other numbers.

`needs` has one bool for each argument that may need a gradient. What nobody needs is not saved, and
what is not saved cannot cost memory. Arrays are float32 or float64; outputs and gradients have the
dtype of the arguments.
"""

import numpy as np


def linear_vjp(x, W, b, needs):
    """Run ``y = x W^T + b`` and keep what its backward needs, no more.

    The gradients are ``g W`` for x, ``g^T x`` for W and the sum of g over the batch for b. So each
    gradient asks for *another* argument, or for none: work out which, and save it only if the
    gradient that asks for it is needed. Save the argument itself or a view of it, not a copy.

    Args:
        x: Shape ``[B, n]``; B may be 0.
        W: Shape ``[m, n]``, as in `torch.nn.Linear`.
        b: Shape ``[m]``.
        needs: Three bools, for x, W and b.

    Returns:
        ``(y, saved, pull)``; y has shape ``[B, m]``, and ``pull(saved, g)`` returns
        ``(gx, gW, gb)``.

    Raises:
        ValueError: If a shape has another number of dimensions, the three do not fit each other
            (nothing is broadcast), the three dtypes are not one and the same, or `needs` has not
            three entries.
    """
    raise NotImplementedError("8.1.a")


def relu_vjp(x, needs):
    """Run ``y = max(x, 0)`` and keep its output for the backward.

    The gradient is g where y is above 0 and exactly 0 where y is 0, whatever g holds there, an
    infinity or NaN included. The output says where that is. It is saved instead of the input or a
    mask because it lives on anyway, as the next layer's input: it costs nothing extra.

    Args:
        x: Any shape. NaN stays NaN, and minus infinity becomes 0.
        needs: One bool in a tuple or list, for x.

    Returns:
        ``(y, saved, pull)``; ``saved`` is ``(y,)``, the very array that is returned or a view of
        it, or ``()``; ``pull(saved, g)`` returns ``(gx,)``. What gx holds where y is NaN is left
        open.

    Raises:
        ValueError: If `needs` has not one entry.
    """
    raise NotImplementedError("8.1.b")


def softmax_xent_vjp(logits, labels, needs):
    """Run the mean cross entropy of a softmax and keep one array for its backward.

    The loss is the mean over the batch of ``-log p[label]``, with p the softmax of a row. The
    gradient of a row is ``(p - onehot(label)) g / B``. One array as large as the logits is enough
    for it (the probabilities, or their logarithms), beside the labels. Logits of 1e4 must not
    overflow: subtract the largest of a row first. A logit of minus infinity is a class with
    probability 0.

    Args:
        logits: Shape ``[B, C]``.
        labels: Integers from 0 to C-1, shape ``[B]``.
        needs: One bool in a tuple or list, for the logits.

    Returns:
        ``(loss, saved, pull)``; loss is one number, of the logits' dtype or Python's own, `saved`
        holds one array of the logits' shape and at most the labels besides (``()`` if no gradient
        is needed), and ``pull(saved, g)`` with the number g, of any dtype, returns ``(glogits,)``.

    Raises:
        ValueError: If the batch is empty (its mean is nothing), the labels have another length than
            the batch, a label is below 0 or above C-1, or `needs` has not one entry.
    """
    raise NotImplementedError("8.1.c")


def backward(nodes, root, grad):
    """Run a backward through a graph: each node once, after all that use its output.

    The graph is a dict from a node's name to ``{"inputs": [...], "pull": function}``. ``inputs``
    names the nodes whose outputs it took, None for an argument that needs no gradient. ``pull(g)``
    takes the gradient of the node's output and returns a tuple or list with one gradient for each
    input, each an array, a number or None for no gradient. A *leaf* has no inputs, and None for
    ``pull``. The dict is in no particular order.

    A node whose output was used in several places gets the *sum* of what comes from each of them,
    and its pull is called once, with that sum. Where one argument occurs twice in `inputs`
    (``x * x``), both gradients count. Never add in place: a pull may return the same array twice,
    or the array it was handed. A node that no gradient reaches, since each that came to it was None
    or since the root does not depend on it, is not called. Zeros are a gradient like any other.

    The number of *paths* through a graph grows without bounds (sixty squarings in a row have
    2^60), and a graph may be 20 000 nodes deep: walk over nodes, not paths, and do not recurse.

    Args:
        nodes: The graph.
        root: Name of the node to start from.
        grad: Gradient of its output, an array or a number.

    Returns:
        ``{leaf: gradient}`` for each leaf that a gradient reached; the root may be a leaf.

    Raises:
        ValueError: If the root is not in the graph, or an input of it or of a node below it; if the
            graph below the root has a cycle; or if a pull returns another number of gradients than
            the node has inputs. Nodes that are not below the root may be looked at for this.
    """
    raise NotImplementedError("8.1.d")


def saved_bytes(saved, params):
    """Return what saved arrays cost in memory: each buffer once, whole, and without parameters.

    A *buffer* belongs to the array that owns its memory; slices, transposes and reshapes of it are
    views whose ``base`` leads back to that array. Saving a view keeps the whole buffer alive, even
    if the view shows a corner of it, and saving two views of one buffer keeps it once. A buffer of
    which any array in `params` is the owner or a view exists anyway and costs nothing extra.

    Args:
        saved: List of arrays, in the order of saving; may be empty, and an array may occur twice.
        params: List of arrays.

    Returns:
        ``{"packs": int, "buffers": int, "bytes": int, "naive": int}``: how many arrays were saved,
        parameters included; how many buffers that are no parameter's; their bytes [B]; and the sum
        of ``nbytes`` over all of `saved` that is not on a parameter's buffer, for comparison [B].
    """
    raise NotImplementedError("8.1.e")
