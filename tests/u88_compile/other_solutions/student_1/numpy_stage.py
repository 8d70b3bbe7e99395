"""Unit 8.8, NumPy stage: what a graph-capturing compiler does, in small.

A *proxy* stands for an array while a function is captured: it has the array's value, and it writes
down what is done to it. A *guard* is what must hold of the arguments for a captured graph to be
usable. A *break* is a place where Python needs a value and the graph has to end. All of this is
plain Python and NumPy; the PyTorch stage meets the same things in `torch.compile`.
"""

import math
from fractions import Fraction

import numpy as np


class GraphBreak(Exception):
    """A value was needed while only one graph was allowed; the message is the kind of break."""


_UFUNCS = frozenset(
    "add subtract multiply divide matmul greater less greater_equal less_equal negative absolute"
    " exp tanh maximum minimum".split()
)


class _Tape:
    """What has been written down so far."""

    def __init__(self, fullgraph):
        self.fullgraph, self.graphs, self.breaks = fullgraph, [], []
        self.current, self.count = [], 0

    def cut(self):
        """End the graph so far, if there is one."""
        if self.current:
            self.graphs.append(self.current)
        self.current = []

    def stop(self, kind):
        """A value is needed."""
        self.breaks.append(kind)
        if self.fullgraph:
            raise GraphBreak(kind)
        self.cut()

    def record(self, op, function, inputs):
        """Compute an operation, write it down, return the proxy of its result."""
        value = function(*(_unwrap(item, lambda proxy: proxy._value) for item in inputs))
        name = f"v{self.count}"
        self.count += 1
        self.current.append(
            {
                "op": op,
                "inputs": [_unwrap(item, lambda proxy: proxy._name) for item in inputs],
                "shape": np.shape(value),
            }
        )
        return _Proxy(self, name, value)


def _unwrap(thing, of):
    """Replace the proxies in what a function takes or returns."""
    if isinstance(thing, _Proxy):
        return of(thing)
    if isinstance(thing, (tuple, list)):
        return [_unwrap(item, of) for item in thing]
    return thing


class _Proxy(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands for an array. The mixin turns operators into ufuncs, which arrive below."""

    def __init__(self, tape, name, value):
        self._tape, self._name, self._value = tape, name, value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs or ufunc.__name__ not in _UFUNCS:
            return NotImplemented
        return self._tape.record(ufunc.__name__, ufunc, inputs)

    def __array_function__(self, function, types, args, kwargs):
        if function is not np.where or kwargs or len(args) != 3:
            return NotImplemented
        return self._tape.record("where", np.where, args)

    def sum(self):
        return self._tape.record("sum", np.sum, (self,))

    def mean(self):
        return self._tape.record("mean", np.mean, (self,))

    @property
    def shape(self):
        return np.shape(self._value)

    @property
    def ndim(self):
        return np.ndim(self._value)

    @property
    def dtype(self):
        return np.asarray(self._value).dtype

    def __len__(self):
        return len(self._value)

    def __bool__(self):
        self._tape.stop("bool")
        return bool(self._value)

    def __float__(self):
        self._tape.stop("float")
        return float(np.asarray(self._value).item())

    def __int__(self):
        self._tape.stop("int")
        return int(np.asarray(self._value).item())

    def item(self):
        self._tape.stop("item")
        return np.asarray(self._value).item()


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
    tape = _Tape(fullgraph)
    handed = [
        _Proxy(tape, f"x{place}", arg) if isinstance(arg, np.ndarray) else arg
        for place, arg in enumerate(args)
    ]
    returned = fn(*handed)
    if fullgraph and tape.breaks:  # fn has swallowed the exception
        raise GraphBreak(tape.breaks[0])
    tape.cut()
    return {
        "graphs": tape.graphs,
        "breaks": tape.breaks,
        "output": _unwrap(returned, lambda proxy: proxy._name),
        "value": _unwrap(returned, lambda proxy: proxy._value),
    }


def _is_number(value):
    """Tell whether a plain value is an int or a float, Python's or NumPy's."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _same(old, new):
    """Tell whether two plain values are equal, where NaN equals NaN."""
    return bool(old == new or (old != old and new != new))


def _check_place(example, place):
    """Refuse a place that cannot be a symbol."""
    argument, index = place
    if not 0 <= argument < len(example):
        raise ValueError(f"{place}: there is no such argument")
    value = example[argument]
    if index is None:
        if not _is_number(value):
            raise ValueError(f"{place}: the argument is neither an int nor a float")
    elif not isinstance(value, np.ndarray) or not 0 <= index < value.ndim:
        raise ValueError(f"{place}: there is no such size")
    elif value.shape[index] < 2:
        raise ValueError(f"{place}: a size of {value.shape[index]} cannot be a symbol")


def _guards(argument, old, new, symbols):
    """Yield the guards of an argument in order: kind, index, expected, actual, whether it holds.

    It is a generator, so that a guard is not looked at when one before it has failed.
    """
    yield "type", None, type(old).__name__, type(new).__name__, type(old) is type(new)
    if not isinstance(old, np.ndarray):
        free = (argument, None) in symbols
        yield "value", None, old, new, free or _same(old, new)
        return
    yield "dtype", None, str(old.dtype), str(new.dtype), old.dtype == new.dtype
    yield "rank", None, old.ndim, new.ndim, old.ndim == new.ndim
    for index, (was, size) in enumerate(zip(old.shape, new.shape, strict=True)):
        if (argument, index) in symbols:
            yield "zero_one", index, 2, size, size >= 2
        else:
            yield "size", index, was, size, was == size


def _failure(argument, kind, index, expected, actual):
    """Return a failed guard."""
    return {
        "argument": argument,
        "kind": kind,
        "index": index,
        "expected": expected,
        "actual": actual,
    }


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
    if len(example) != len(args):
        raise ValueError(f"{len(args)} arguments, but the graph was made for {len(example)}")
    symbols, tied = {tuple(place) for place in dynamic}, {tuple(place) for place in shared}
    for place in symbols:
        _check_place(example, place)
    for place in tied:
        if place not in symbols or place[1] is None:
            raise ValueError(f"{place} is shared, but is no size in dynamic")
    for argument, (old, new) in enumerate(zip(example, args, strict=True)):
        for kind, index, expected, actual, holds in _guards(argument, old, new, symbols):
            if not holds:
                return _failure(argument, kind, index, expected, actual)
    firsts = {}
    for argument, index in sorted(tied):
        size = args[argument].shape[index]
        first = firsts.setdefault(example[argument].shape[index], size)
        if size != first:
            return _failure(argument, "shared", index, first, size)
    return None


def _places(call):
    """Return the value at each place of a call that could be a symbol."""
    places = {}
    for argument, value in enumerate(call):
        if isinstance(value, np.ndarray):
            places.update({(argument, index): size for index, size in enumerate(value.shape)})
        elif _is_number(value):
            places[argument, None] = value
    return places


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
            at every call, and a number with the same type; a place may also be None or text.
        dynamic: None, True or False.
        limit: Entries that the cache holds at most.

    Returns:
        A list of dicts, one a call: ``"action"``, and ``"reason"``: what `guard_failure` says for
        the *newest* entry; None for a hit and for the first compile.

    Raises:
        ValueError: If `limit` is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}, must be 1 or more")
    entries, log = [], []  # an entry is what `guard_failure` takes
    first, changed = {}, set()
    for call in calls:
        failures = [guard_failure(old, call, *symbols) for old, *symbols in entries]
        if None in failures:
            log.append({"action": "hit", "reason": None})
            continue
        reason = failures[-1] if failures else None
        if len(entries) >= limit:
            log.append({"action": "eager", "reason": reason})
            continue
        places = _places(call)
        for place, value in places.items():
            if not _same(first.setdefault(place, value), value):
                changed.add(place)
        able = {place for place, value in places.items() if place[1] is None or value >= 2}
        if dynamic is None:
            entries.append((call, able & changed, ()))
        elif dynamic:
            sizes = {place for place in able if place[1] is not None}
            entries.append((call, able, sizes - changed))
        else:
            entries.append((call, (), ()))
        log.append({"action": "compile", "reason": reason})
    return log


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
    for name, value in (
        ("cost", cost), ("eager", eager), ("compiled", compiled), ("compiles", compiles)
    ):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} is {value}, must be 0 or more and finite")
    # Fractions hold floats exactly, so that a tie is a tie.
    price = Fraction(float(cost)) * Fraction(float(compiles))
    gain = Fraction(float(eager)) - Fraction(float(compiled))
    if gain > 0:
        return max(1, math.ceil(price / gain))
    return 1 if gain == 0 and price == 0 else math.inf
