"""Unit 8.8, NumPy stage: what a graph-capturing compiler does, in small.

A *proxy* stands for an array while a function is captured: it has the array's value, and it writes
down what is done to it. A *guard* is what must hold of the arguments for a captured graph to be
usable. A *break* is a place where Python needs a value and the graph has to end. All of this is
plain Python and NumPy; the PyTorch stage meets the same things in `torch.compile`.
"""

import math
from fractions import Fraction
from itertools import count

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


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
    tape = _Tape(fullgraph)
    result = fn(
        *(
            _Proxy(tape, f"x{place}", arg) if isinstance(arg, np.ndarray) else arg
            for place, arg in enumerate(args)
        )
    )

    def told(what, entry):
        if isinstance(entry, _Proxy):
            return getattr(entry, what)
        if isinstance(entry, tuple | list):
            return [told(what, inner) for inner in entry]
        return entry

    return {
        "graphs": [graph for graph in tape.graphs if graph],
        "breaks": tape.breaks,
        "output": told("_name", result),
        "value": told("_value", result),
    }


class _Tape:
    """What is written down while a function is captured."""

    def __init__(self, fullgraph):
        self.fullgraph, self.names = fullgraph, count()
        self.graphs, self.breaks = [[]], []

    def write(self, op, operands, value):
        """Write an operation down; return the proxy of its result."""
        inputs = [entry._name if isinstance(entry, _Proxy) else entry for entry in operands]
        self.graphs[-1].append({"op": op, "inputs": inputs, "shape": np.shape(value)})
        return _Proxy(self, f"v{next(self.names)}", value)

    def cut(self, kind):
        """End the graph so far."""
        if self.fullgraph:
            raise GraphBreak(kind)
        self.breaks.append(kind)
        self.graphs.append([])


_UFUNCS = frozenset(
    "add subtract multiply divide matmul greater less greater_equal less_equal negative absolute "
    "exp tanh maximum minimum".split()
)


class _Proxy(NDArrayOperatorsMixin):
    """Stands for an array. The mixin turns every operator into a ufunc, which comes back here."""

    def __init__(self, tape, name, value):
        self._tape, self._name, self._value = tape, name, value

    def __array_ufunc__(self, ufunc, method, *operands, out=(), **settings):
        # `x += y` comes with out=(x,): a captured function has values, not places to write to.
        if ufunc.__name__ not in _UFUNCS or method != "__call__" or settings or out not in ((), (self,)):
            return NotImplemented
        return self._tape.write(ufunc.__name__, operands, ufunc(*map(_value_of, operands)))

    def __array_function__(self, function, types, args, settings):
        if function is not np.where or len(args) != 3 or settings:
            return NotImplemented
        return self._tape.write("where", args, np.where(*map(_value_of, args)))

    def sum(self):
        return self._tape.write("sum", [self], self._value.sum())

    def mean(self):
        return self._tape.write("mean", [self], self._value.mean())

    shape = property(lambda self: np.shape(self._value))
    ndim = property(lambda self: np.ndim(self._value))
    dtype = property(lambda self: self._value.dtype)

    def __len__(self):
        return len(self._value)

    def __bool__(self):
        self._tape.cut("bool")
        return bool(self._value)

    def __float__(self):
        self._tape.cut("float")
        return float(self._value)

    def __int__(self):
        self._tape.cut("int")
        return int(self._value)

    def item(self):
        self._tape.cut("item")
        return self._value.item()


def _value_of(entry):
    """Return the value behind a proxy, and anything else as it is."""
    return entry._value if isinstance(entry, _Proxy) else entry


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
    dynamic, shared = frozenset(map(tuple, dynamic)), frozenset(map(tuple, shared))
    if len(example) != len(args):
        raise ValueError("the numbers of arguments differ")
    allowed = {place for place, value in _places(example) if place[1] is None or value >= 2}
    if not dynamic <= allowed:
        raise ValueError("a place in dynamic is none of the example")
    if not shared <= dynamic or any(index is None for _, index in shared):
        raise ValueError("a place in shared is no size in dynamic")
    for failure in _failures(example, args, dynamic, shared):
        return failure
    return None


def _places(args):
    """Yield the places of arguments and what stands there: sizes, and plain ints and floats."""
    for argument, value in enumerate(args):
        if isinstance(value, np.ndarray):
            yield from (((argument, index), size) for index, size in enumerate(value.shape))
        elif isinstance(value, int | float | np.integer | np.floating) and value is not True:
            if value is not False:
                yield (argument, None), value


def _same(x, y):
    """Return whether two plain values are equal, where NaN is NaN."""
    return bool(x == y or (x != x and y != y))  # noqa: PLR0124


def _failures(example, args, dynamic, shared):
    """Yield the guards that fail, in order; what comes after a wrong type or rank may be missing."""

    def failure(argument, kind, expected, actual, index=None):
        return {
            "argument": argument,
            "kind": kind,
            "index": index,
            "expected": expected,
            "actual": actual,
        }

    for argument, (old, new) in enumerate(zip(example, args, strict=True)):
        types = [
            "ndarray" if isinstance(value, np.ndarray) else type(value).__name__
            for value in (old, new)
        ]
        is_array = types[0] == "ndarray"
        if types[0] != types[1] or (not is_array and type(old) is not type(new)):
            yield failure(argument, "type", *types)
            return
        if not is_array:
            if (argument, None) not in dynamic and not _same(old, new):
                yield failure(argument, "value", old, new)
            continue
        if old.dtype != new.dtype:
            yield failure(argument, "dtype", str(old.dtype), str(new.dtype))
        if old.ndim != new.ndim:
            yield failure(argument, "rank", old.ndim, new.ndim)
            return
        for index, (was, now) in enumerate(zip(old.shape, new.shape, strict=True)):
            if (argument, index) in dynamic:
                if now < 2:
                    yield failure(argument, "zero_one", 2, now, index)
            elif was != now:
                yield failure(argument, "size", was, now, index)
    symbols = {}
    for argument, index in sorted(shared):
        now = args[argument].shape[index]
        first = symbols.setdefault(example[argument].shape[index], now)
        if first != now:
            yield failure(argument, "shared", first, now, index)


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
        raise ValueError("the limit must be 1 or more")
    cache = _Cache(dynamic, limit)
    return [{"action": action, "reason": reason} for action, reason in map(cache.call, calls)]


class _Cache:
    """The versions of one function, and what its places were when each was compiled."""

    def __init__(self, dynamic, limit):
        self.dynamic, self.limit = dynamic, limit
        self.entries, self.first, self.changed = [], {}, set()

    def call(self, args):
        """Return what happens at a call, and why."""
        failures = [guard_failure(entry[0], args, *entry[1:]) for entry in self.entries]
        if None in failures:
            return "hit", None
        reason = failures[-1] if failures else None
        if len(self.entries) >= self.limit:
            return "eager", reason
        self.entries.append((args, *self._symbols(args)))
        return "compile", reason

    def _symbols(self, args):
        """Return which places of a new entry are symbols, and which of these share one."""
        here = dict(_places(args))
        for place, value in here.items():
            if not _same(self.first.setdefault(place, value), value):
                self.changed.add(place)
        able = {place for place, value in here.items() if place[1] is None or value >= 2}
        if self.dynamic is None:
            return able & self.changed, ()
        if not self.dynamic:
            return (), ()
        return able, {place for place in able - self.changed if place[1] is not None}


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
    numbers = [float(number) for number in (cost, eager, compiled, compiles)]
    if not all(0 <= number < math.inf for number in numbers):
        raise ValueError("times and compilations must be finite and 0 or more")
    # The decimals that were written down, not the binary numbers next to them.
    cost, eager, compiled, compiles = (Fraction(repr(number)) for number in numbers)
    paid, gain = cost * compiles, eager - compiled
    if gain > 0:
        return max(1, math.ceil(paid / gain))
    return 1 if paid == gain == 0 else math.inf
