"""Unit 8.8 with a subclass of ndarray as the proxy, guards as a table, and exact fractions."""
# ruff: noqa

import math
from fractions import Fraction

import numpy as np


class GraphBreak(Exception):
    pass


class Recorder:
    def __init__(self, one_graph):
        self.one_graph = one_graph
        self.all = []
        self.cuts = []
        self.breaks = []

    def operation(self, name, operands, value):
        out = np.asarray(value).view(Traced)
        out.recorder, out.label = self, f"v{len(self.all)}"
        inputs = [o.label if isinstance(o, Traced) else o for o in operands]
        self.all.append({"op": name, "inputs": inputs, "shape": np.shape(value)})
        return out

    def cut(self, kind):
        if self.one_graph:
            raise GraphBreak(kind)
        self.breaks += [kind]
        self.cuts += [len(self.all)]

    def graphs(self):
        edges = [0, *self.cuts, len(self.all)]
        pieces = [self.all[a:b] for a, b in zip(edges, edges[1:])]
        return [piece for piece in pieces if piece]


def bare(x):
    return x.view(np.ndarray) if isinstance(x, Traced) else x


class Traced(np.ndarray):
    recorder = label = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kw):
        value = getattr(ufunc, method)(*map(bare, inputs), **kw)
        return self.recorder.operation(ufunc.__name__, inputs, value)

    def __array_function__(self, func, types, args, kwargs):
        assert func is np.where
        return self.recorder.operation("where", args, np.where(*map(bare, args)))

    def sum(self):
        return self.recorder.operation("sum", [self], bare(self).sum())

    def mean(self):
        return self.recorder.operation("mean", [self], bare(self).mean())

    def __bool__(self):
        self.recorder.cut("bool")
        return bool(bare(self))

    def __float__(self):
        self.recorder.cut("float")
        return float(bare(self))

    def __int__(self):
        self.recorder.cut("int")
        return int(bare(self))

    def item(self):
        self.recorder.cut("item")
        return bare(self).item()


def capture(fn, *args, fullgraph=False):
    recorder = Recorder(fullgraph)
    given = []
    for i, a in enumerate(args):
        if isinstance(a, np.ndarray):
            a = a.view(Traced)
            a.recorder, a.label = recorder, "x%d" % i
        given.append(a)
    out = fn(*given)
    label = lambda o: o.label if isinstance(o, Traced) else o
    if isinstance(out, (tuple, list)):
        output, value = tuple(map(label, out)), tuple(map(bare, out))
    else:
        output, value = label(out), bare(out)
    return dict(graphs=recorder.graphs(), breaks=tuple(recorder.breaks), output=output, value=value)


def possible_places(args):
    for i, a in enumerate(args):
        if isinstance(a, np.ndarray):
            yield from ((i, int(j)) for j in np.flatnonzero(np.array(a.shape) > 1))
        elif type(a) in (int, float):
            yield i, None


def rows(example, args, dynamic, shared):
    """Yield every guard: (argument, kind, index, expected, actual, holds)."""
    for i, (a, b) in enumerate(zip(example, args)):
        same = type(a) is type(b)
        yield i, "type", None, type(a).__name__, type(b).__name__, same
        if not same:
            return
        if isinstance(a, np.ndarray):
            yield i, "dtype", None, a.dtype.name, b.dtype.name, a.dtype == b.dtype
            yield i, "rank", None, a.ndim, b.ndim, a.ndim == b.ndim
            for j in range(min(a.ndim, b.ndim)):
                n, m = a.shape[j], b.shape[j]
                if (i, j) in dynamic:
                    yield i, "zero_one", j, 2, m, m >= 2
                else:
                    yield i, "size", j, n, m, n == m
        elif (i, None) not in dynamic:
            holds = a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
            yield i, "value", None, a, b, holds
    ordered = sorted(shared)
    for k, (i, j) in enumerate(ordered):
        for p, q in ordered[:k]:
            if example[p].shape[q] == example[i].shape[j]:
                n, m = args[p].shape[q], args[i].shape[j]
                yield i, "shared", j, n, m, n == m
                break


def guard_failure(example, args, dynamic=(), shared=()):
    dynamic, shared = frozenset(dynamic), frozenset(shared)
    if len(example) != len(args) or not dynamic <= set(possible_places(example)):
        raise ValueError("no such place")
    if not shared <= {p for p in dynamic if p[1] is not None}:
        raise ValueError("shared but not dynamic")
    for *told, holds in rows(example, args, dynamic, shared):
        if not holds:
            return dict(zip(["argument", "kind", "index", "expected", "actual"], told))


def compile_log(calls, dynamic=None, limit=8):
    if not limit >= 1:
        raise ValueError(limit)
    cache, history, log = [], {}, []
    for args in calls:
        told = [guard_failure(*entry[:1], args, *entry[1:]) for entry in cache]
        reason = told[-1] if told else None
        if any(t is None for t in told):
            log.append({"action": "hit", "reason": None})
        elif len(cache) == limit:
            log.append({"action": "eager", "reason": reason})
        else:
            for i, a in enumerate(args):
                if isinstance(a, np.ndarray):
                    for j, n in enumerate(a.shape):
                        history.setdefault((i, j), set()).add(n)
                elif type(a) in (int, float):
                    history.setdefault((i, None), set()).add(a)
            changed = {p for p, values in history.items() if len(values) > 1}
            free = set(possible_places(args))
            symbols = set() if dynamic is False else free if dynamic else free & changed
            one = {p for p in symbols - changed if p[1] is not None}
            cache.append((args, symbols, one))
            log.append({"action": "compile", "reason": reason})
    return log


def break_even(cost, eager, compiled, compiles=1):
    for value in (cost, eager, compiled, compiles):
        if not 0 <= value < math.inf:
            raise ValueError(value)
    total = Fraction(cost) * Fraction(compiles)
    gain = Fraction(eager) - Fraction(compiled)
    if (total > 0 and gain <= 0) or gain < 0:
        return float("inf")
    return max(1, -(-total // gain)) if total else 1
