"""Unit 8.8, NumPy stage: what a graph-capturing compiler does, in small.

A *proxy* stands for an array while a function is captured: it has the array's value, and it writes
down what is done to it. A *guard* is what must hold of the arguments for a captured graph to be
usable. A *break* is a place where Python needs a value and the graph has to end. All of this is
plain Python and NumPy; the PyTorch stage meets the same things in `torch.compile`.
"""

import math

import numpy as np


class GraphBreak(Exception):
    """A value was needed while only one graph was allowed; the message is the kind of break."""


def capture(fn, *args, fullgraph=False):
    """Run a function once on proxies and write down its operations, graph by graph.

    Each argument that is a NumPy array is handed to `fn` as a proxy named ``x0``, ``x1``, ... by
    its position among all arguments; other arguments are handed over as they are. On proxies `fn`
    may use

    - the operators ``+ - * / @``, with a proxy or a number on either side, ``> < >= <=`` with the
      proxy on the left, unary ``-`` and ``abs(x)``; ``np.exp``, ``np.tanh``, ``np.maximum``,
      ``np.minimum``;
    - ``x.sum()`` and ``x.mean()`` over all entries, and ``np.where(condition, x, y)``;
    - ``x.shape``, ``x.ndim``, ``x.dtype`` and ``len(x)``: plain values, which are no operations.
      Whatever is computed from them enters the graph as a constant.

    Every operation is written down and its result is the proxy ``v0``, ``v1``, ..., counted through
    all graphs. ``bool(x)`` (and so ``if x:``), ``float(x)``, ``int(x)`` and ``x.item()`` need the
    value: a graph break. The graph so far ends there, `fn` goes on with the value, and further
    operations go to the next graph. A graph without operations is no graph, so that a break before
    the first or after the last operation shows in ``breaks`` alone.

    Args:
        fn: The function. It returns a proxy, or a tuple or list of proxies and numbers.
        args: Its arguments: NumPy arrays of any shape, and plain Python values.
        fullgraph: Whether a break is an error.

    Returns:
        A dict with

        - ``"graphs"``: a list of graphs, each a list of operations ``{"op", "inputs", "shape"}``:
          NumPy's name of the operation (``add``, ``subtract``, ``multiply``, ``divide``,
          ``matmul``, ``greater``, ``less``, ``greater_equal``, ``less_equal``, ``negative``,
          ``absolute``, ``exp``, ``tanh``, ``maximum``, ``minimum``, ``sum``, ``mean``,
          ``where``), its operands in order (names, or numbers as they are), and the shape of the
          result.
        - ``"breaks"``: kinds in order: ``"bool"``, ``"float"``, ``"int"`` or ``"item"``.
        - ``"output"``: what `fn` returned, each proxy as its name; a tuple or list as a list.
        - ``"value"``: the same with NumPy values instead of names.

    Raises:
        GraphBreak: With `fullgraph`, at the first break, before `fn` goes on.
    """
    raise NotImplementedError("8.8.a")


def guard_failure(example, args, dynamic=(), shared=()):
    """Return the first guard that fails when a graph made for `example` is called with `args`.

    Arguments are checked one after the other, each in this order:

    - ``"type"``: its Python type is that of the example (an array's is ``ndarray``; ``True`` is no
      ``1`` and ``1`` is no ``1.0``);
    - an array: ``"dtype"``; then ``"rank"``, its number of dimensions; then its sizes, index by
      index. A size that is not in `dynamic` must be that of the example: ``"size"``. One that is
      may be anything from 2 on: ``"zero_one"``, since a graph for any size is still specialised on
      0 and 1, which broadcast or are empty;
    - a plain value: equal to that of the example (``"value"``), unless it is in `dynamic`. NaN
      equals NaN here: it would otherwise be compiled anew at every call.

    After all arguments: sizes in `shared` that were equal in the example have one symbol and must
    be equal again: ``"shared"``. They are compared in order of argument and index, each with the
    first one of its symbol.

    Args:
        example: The arguments that the graph was made for: arrays, numbers, text, None.
        args: The arguments of the call, as many.
        dynamic: Places whose value is a symbol, not a constant: ``(argument, index)`` is a size,
            ``(argument, None)`` an int or float argument. Any collection of tuples.
        shared: Those sizes among `dynamic` that share a symbol where they are equal.

    Returns:
        None if all guards hold, else a dict with ``"argument"`` (its position), ``"kind"`` (the
        words above), ``"index"`` (of the size; None where it is not about one), ``"expected"`` and
        ``"actual"``: names of types or dtypes (text), ranks, sizes or values. A ``"zero_one"``
        expects 2, a ``"shared"`` the size of the first place with its symbol in `args`.

    Raises:
        ValueError: If the numbers of arguments differ, or a place in `dynamic` is no place of
            `example`: no such argument or index, a size of 0 or 1, which cannot be a symbol, or
            ``(argument, None)`` for what is neither an int nor a float (a bool is neither); or if
            `shared` has a place that is no size in `dynamic`.
    """
    raise NotImplementedError("8.8.b")


def compile_log(calls, dynamic=None, limit=8):
    """Say what a compiler with a cache does at each call of a function.

    A call that some entry of the cache has all guards for (those of `guard_failure`) is a
    ``"hit"``. Any other call is a ``"compile"`` as long as there are fewer than `limit` entries:
    it becomes the example of a new entry. With the cache full it runs ``"eager"``, uncompiled, and
    so does every later call that no entry fits; those that one fits are still hits.

    Which places of a new entry are symbols depends on `dynamic`:

    - ``None``, automatic: a place is a constant at first. At each compile (and only then) the
      values at all places, sizes of 0 and 1 included, are held against the first ones compiled
      there; a place where they once differed has *changed*, and is a symbol in this and all later
      entries. But a size of 0 or 1 is a constant in its own entry. No symbol is shared.
    - ``False``: none, whatever changes.
    - ``True``: all ints and floats and all sizes of 2 or more, from the first entry on. Sizes share
      a symbol in an entry, apart from those that had changed (as above) when it was compiled.

    Args:
        calls: The arguments of each call, a tuple or list each. An array comes with the same rank
            at every call, and a number with the same type. A place may also hold None, a bool or
            text, which are no values here: the first number compiled there is the first one.
        dynamic: None, True or False.
        limit: Entries that the cache holds at most.

    Returns:
        A list of dicts, one a call: ``"action"``, and ``"reason"``: what `guard_failure` says for
        the *newest* entry; None for a hit and for the first compile.

    Raises:
        ValueError: If `limit` is below 1.
    """
    raise NotImplementedError("8.8.c")


def break_even(cost, eager, compiled, compiles=1):
    """Return after how many calls compiling has paid for itself.

    `compiles` compilations of `cost` each are paid once; after that a call takes `compiled` instead
    of `eager`.

    Args:
        cost: Time of one compilation [s].
        eager: Time of a call without compiling [s].
        compiled: Time of a call of compiled code, without compiling [s].
        compiles: How many compilations there are, for example one a length; 0 is allowed.

    Returns:
        The smallest number of calls (int, at least 1) whose total with all compilations is not
        longer than their total without; infinite if there is none. An honest null is infinite.

    Raises:
        ValueError: If a time or the number of compilations is negative, NaN or infinite.
    """
    raise NotImplementedError("8.8.d")
