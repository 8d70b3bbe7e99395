# ruff: noqa: N803, N806 - the names of the mathematics
"""Loops and lists where the solution has array expressions, iterators for recursion."""

import math

import numpy as np


def linear_vjp(x, W, b, needs):
    nx, nW, nb = needs
    (B, n), (m, k) = x.shape, W.shape
    if n != k or b.shape != (m,):
        raise ValueError("shapes")
    if x.dtype != W.dtype or W.dtype != b.dtype:
        raise ValueError("dtypes")
    y = np.empty((B, m), x.dtype)
    for i in range(B):
        for j in range(m):
            y[i, j] = sum((x[i, c] * W[j, c] for c in range(n)), b[j])
    saved = {}
    if nW:
        saved["x"] = x
    if nx:
        saved["W"] = W[:]
    names = list(saved)

    def pull(saved, g):
        kept = dict(zip(names, saved, strict=True))
        gx = gW = gb = None
        if nx:
            gx = g.dot(kept["W"])
        if nW:
            gW = np.zeros((m, n), g.dtype)
            for i in range(len(g)):
                gW += np.outer(g[i], kept["x"][i])
        if nb:
            gb = np.zeros(m, g.dtype)
            for row in g:
                gb += row
        return gx, gW, gb

    return y, tuple(saved.values()), pull


def relu_vjp(x, needs):
    (need,) = needs
    y = x.copy()
    y[x <= 0] = 0

    def pull(saved, g):
        if not need:
            return (None,)
        out = g.copy()
        out[~(saved[0] > 0)] = 0
        return (out,)

    return y, (y,) if need else (), pull


def softmax_xent_vjp(logits, labels, needs):
    (need,) = needs
    if len(logits) == 0 or len(labels) != len(logits):
        raise ValueError("batch")
    if any(not 0 <= int(label) < logits.shape[1] for label in labels):
        raise ValueError("label")
    losses, p = [], np.empty_like(logits)
    for i, (row, label) in enumerate(zip(logits, labels, strict=True)):
        top = float(max(row))
        powers = [math.exp(float(z) - top) for z in row]
        total = math.fsum(powers)
        p[i] = [power / total for power in powers]
        losses.append(math.log(total) + top - float(row[label]))
    loss = logits.dtype.type(math.fsum(losses) / len(losses))

    def pull(saved, g):
        if not need:
            return (None,)
        p, labels = saved
        out = p.copy()
        for i, label in enumerate(labels):
            out[i, label] -= 1
        out *= g / len(p)
        return (out,)

    return loss, (p, labels) if need else (), pull


def backward(nodes, root, grad):
    if root not in nodes:
        raise ValueError(root)
    finished, path, on_path = [], [(root, iter(nodes[root]["inputs"]))], {root}
    done = set()
    while path:
        name, sources = path[-1]
        for source in sources:
            if source is None or source in done:
                continue
            if source in on_path:
                raise ValueError("cycle")
            if source not in nodes:
                raise ValueError(source)
            on_path.add(source)
            path.append((source, iter(nodes[source]["inputs"])))
            break
        else:
            path.pop()
            on_path.discard(name)
            done.add(name)
            finished.append(name)
    total = {root: grad}
    for name in reversed(finished):
        if name not in total or nodes[name]["pull"] is None:
            continue
        answer = tuple(nodes[name]["pull"](total[name]))
        if len(answer) != len(nodes[name]["inputs"]):
            raise ValueError(name)
        for source, part in zip(nodes[name]["inputs"], answer, strict=True):
            if source is None or part is None:
                continue
            total[source] = part if source not in total else total[source] + part
    return {name: g for name, g in total.items() if nodes[name]["pull"] is None}


def saved_bytes(saved, params):
    def owner(array):
        return array if array.base is None else owner(array.base)

    result = {"packs": 0, "buffers": 0, "bytes": 0, "naive": 0}
    counted = []
    for array in saved:
        result["packs"] += 1
        mine = owner(array)
        if any(mine is owner(param) for param in params):
            continue
        result["naive"] += array.size * array.itemsize
        if any(mine is other for other in counted):
            continue
        counted.append(mine)
        result["buffers"] += 1
        result["bytes"] += mine.size * mine.itemsize
    return result
