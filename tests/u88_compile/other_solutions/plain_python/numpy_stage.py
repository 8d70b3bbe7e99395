"""Unit 8.8 with a proxy whose operators are written out, and an entry object that fits or not."""
# ruff: noqa

import math
import operator

import numpy as np


class GraphBreak(Exception):
    """A value was needed."""


def capture(fn, *args, fullgraph=False):
    graphs, breaks, made = [[]], [], []

    class Proxy:
        __array_priority__ = 1000

        def __init__(self, name, value):
            self.name, self.value = name, value

        @property
        def shape(self):
            return np.shape(self.value)

        @property
        def ndim(self):
            return np.ndim(self.value)

        @property
        def dtype(self):
            return np.asarray(self.value).dtype

        def __len__(self):
            return len(self.value)

        def __array_ufunc__(self, ufunc, method, *inputs):
            return record(ufunc.__name__, ufunc, *inputs)

        def __array_function__(self, func, types, args, kwargs):
            return record(func.__name__, func, *args)

        def sum(self):
            return record("sum", np.sum, self)

        def mean(self):
            return record("mean", np.mean, self)

        def __neg__(self):
            return record("negative", operator.neg, self)

        def __abs__(self):
            return record("absolute", abs, self)

        def __bool__(self):
            return needed("bool", bool, self)

        def __float__(self):
            return needed("float", float, self)

        def __int__(self):
            return needed("int", int, self)

        def item(self):
            return needed("item", lambda value: np.asarray(value).item(), self)

    def value_of(x):
        return x.value if isinstance(x, Proxy) else x

    def name_of(x):
        return x.name if isinstance(x, Proxy) else x

    def record(name, function, *operands):
        value = function(*[value_of(o) for o in operands])
        result = Proxy(f"v{len(made)}", value)
        made.append(result)
        inputs = tuple(name_of(o) for o in operands)
        graphs[-1].append({"op": name, "inputs": inputs, "shape": tuple(np.shape(value))})
        return result

    def needed(kind, function, proxy):
        if fullgraph:
            raise GraphBreak(kind)
        breaks.append(kind)
        graphs.append([])
        return function(proxy.value)

    for name, function in {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "matmul": operator.matmul,
    }.items():
        short = function.__name__.strip("_")

        def straight(self, other, name=name, function=function):
            return record(name, function, self, other)

        def mirrored(self, other, name=name, function=function):
            return record(name, function, other, self)

        setattr(Proxy, f"__{short}__", straight)
        setattr(Proxy, f"__r{short}__", mirrored)
    for name, short in {
        "greater": "gt",
        "less": "lt",
        "greater_equal": "ge",
        "less_equal": "le",
    }.items():
        function = getattr(operator, short)

        def compared(self, other, name=name, function=function):
            return record(name, function, self, other)

        setattr(Proxy, f"__{short}__", compared)

    inputs = [Proxy(f"x{i}", a) if isinstance(a, np.ndarray) else a for i, a in enumerate(args)]
    result = fn(*inputs)
    if isinstance(result, (list, tuple)):
        output, value = [name_of(r) for r in result], [value_of(r) for r in result]
    else:
        output, value = name_of(result), value_of(result)
    return {
        "graphs": list(filter(None, graphs)),
        "breaks": breaks,
        "output": output,
        "value": value,
    }


def can_be_symbol(args, place):
    number, index = place
    if not 0 <= number < len(args):
        return False
    value = args[number]
    if index is None:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, np.ndarray) and 0 <= index < value.ndim and value.shape[index] >= 2


def guard_failure(example, args, dynamic=(), shared=()):
    dynamic, shared = list(dynamic), list(shared)
    if len(example) != len(args):
        raise ValueError("another number of arguments")
    for place in dynamic:
        if not can_be_symbol(example, place):
            raise ValueError(f"{place} is no symbol")
    for place in shared:
        if place not in dynamic or place[1] is None:
            raise ValueError(f"{place} is not a dynamic size")

    def failure(number, kind, expected, actual, index=None):
        return {
            "kind": kind,
            "argument": number,
            "expected": expected,
            "actual": actual,
            "index": index,
        }

    for number in range(len(args)):
        old, new = example[number], args[number]
        if type(old) != type(new):
            return failure(number, "type", type(old).__name__, type(new).__name__)
        if isinstance(old, np.ndarray):
            if old.dtype != new.dtype:
                return failure(number, "dtype", str(old.dtype), str(new.dtype))
            if len(old.shape) != len(new.shape):
                return failure(number, "rank", len(old.shape), len(new.shape))
            for index in range(len(old.shape)):
                if (number, index) in dynamic:
                    if new.shape[index] in (0, 1):
                        return failure(number, "zero_one", 2, new.shape[index], index)
                elif old.shape[index] != new.shape[index]:
                    return failure(number, "size", old.shape[index], new.shape[index], index)
        elif (number, None) in dynamic:
            continue
        elif old != new and not (old != old and new != new):
            return failure(number, "value", old, new)
    symbols = {}
    for number, index in sorted(shared):
        symbol = example[number].shape[index]
        actual = args[number].shape[index]
        if symbol in symbols and symbols[symbol] != actual:
            return failure(number, "shared", symbols[symbol], actual, index)
        symbols.setdefault(symbol, actual)
    return None


class Entry:
    def __init__(self, example, dynamic, shared):
        self.example, self.dynamic, self.shared = example, dynamic, shared

    def failure(self, args):
        return guard_failure(self.example, args, self.dynamic, self.shared)


def compile_log(calls, dynamic=None, limit=8):
    if limit < 1:
        raise ValueError("no room")
    entries, seen, changed, log = [], {}, [], []
    for args in calls:
        if any(entry.failure(args) is None for entry in entries):
            log.append({"action": "hit", "reason": None})
            continue
        reason = entries[-1].failure(args) if entries else None
        action = "compile" if len(entries) < limit else "eager"
        log.append({"action": action, "reason": reason})
        if action == "eager":
            continue
        places = []
        for number, value in enumerate(args):
            if isinstance(value, np.ndarray):
                places += [((number, index), size) for index, size in enumerate(value.shape)]
            elif can_be_symbol(args, (number, None)):
                places.append(((number, None), value))
        for place, value in places:
            if place not in seen:
                seen[place] = value
            elif seen[place] != value and place not in changed:
                changed.append(place)
        symbols = []
        for place, _ in places:
            if can_be_symbol(args, place) and dynamic is not False:
                if dynamic is True or place in changed:
                    symbols.append(place)
        together = [p for p in symbols if p[1] is not None and p not in changed]
        entries.append(Entry(args, symbols, together))
    return log


def break_even(cost, eager, compiled, compiles=1):
    for number in (cost, eager, compiled, compiles):
        if math.isnan(number) or math.isinf(number) or number < 0:
            raise ValueError(number)
    paid = cost * compiles
    if compiled > eager or (compiled == eager and paid > 0):
        return math.inf
    if paid == 0:
        return 1
    calls = max(1, int(paid / (eager - compiled)))
    while paid + calls * compiled > calls * eager:
        calls += 1
    return calls
