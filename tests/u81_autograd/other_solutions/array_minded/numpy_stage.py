# ruff: noqa: N803, N806 - the names of the mathematics
"""Arrays wherever there is a choice: one matrix of the graph, masks, and interfaces of buffers."""

import itertools

import numpy as np


def linear_vjp(x, W, b, needs):
    if len(needs) != 3:
        raise ValueError("three needs")
    if not (np.ndim(x) == np.ndim(W) == 2 and np.ndim(b) == 1):
        raise ValueError("dimensions")
    if (x.shape[1], b.size) != W.shape[::-1] or len({x.dtype, W.dtype, b.dtype}) > 1:
        raise ValueError("shapes or dtypes")
    saved = list(itertools.compress([x, W.T], [needs[1], needs[0]]))

    def pull(saved, g):
        kept = iter(saved)
        gW = np.einsum("bm,bn->mn", g, next(kept)) if needs[1] else None
        gx = np.einsum("bm,nm->bn", g, next(kept)) if needs[0] else None
        gb = np.ones(len(g), g.dtype) @ g if needs[2] else None
        return [gx, gW, gb]

    return np.einsum("bn,mn->bm", x, W) + b[np.newaxis], saved, pull


def relu_vjp(x, needs):
    if len(needs) != 1:
        raise ValueError("one need")
    y = np.where(np.isnan(x), x, np.clip(x, 0, None))
    saved = [y.reshape(-1)] * bool(needs[0])

    def pull(saved, g):
        if not needs[0]:
            return [None]
        result = np.zeros_like(g)
        mask = saved[0].reshape(g.shape) > 0
        result[mask] = g[mask]
        return [result]

    return y, saved, pull


def softmax_xent_vjp(logits, labels, needs):
    B, C = logits.shape
    if len(needs) != 1 or B == 0 or labels.shape != (B,) or not np.isin(labels, range(C)).all():
        raise ValueError("labels")
    hot = np.eye(C, dtype=logits.dtype)[labels]
    top = logits.max(1, keepdims=True)
    e = np.exp(logits - top)
    total = e.sum(1, keepdims=True)
    picked = np.take_along_axis(logits - top, labels[:, None], 1)
    loss = np.mean(np.log(total) - picked)
    direction = (e / total - hot) / logits.dtype.type(B)  # the gradient for g = 1 is all it takes

    def pull(saved, g):
        return [(saved[0] * g).astype(saved[0].dtype)] if needs[0] else [None]

    return loss.astype(logits.dtype), [direction] if needs[0] else [], pull


def backward(nodes, root, grad):  # noqa: PLR0912 - one walk after the other
    # count users below the root, then peel: a node is ready when all its users have run
    if root not in nodes:
        raise ValueError("no root")
    users, front, below = {}, [root], {root}
    while front:
        name = front.pop()
        for source in nodes[name]["inputs"]:
            if source is None:
                continue
            if source not in nodes:
                raise ValueError("no such node")
            users[source] = users.get(source, 0) + 1
            if source not in below:
                below.add(source)
                front.append(source)
    if users.get(root):
        raise ValueError("cycle")
    order, ready = [], [root]
    while ready:
        order.append(ready.pop())
        for source in nodes[order[-1]]["inputs"]:
            if source is not None:
                users[source] -= 1
                if not users[source]:
                    ready.append(source)
    if len(order) < len(below):
        raise ValueError("cycle")
    inbox, out = {root: [grad]}, {}
    for name in order:
        letters = inbox.pop(name, [])
        if not letters:
            continue
        g = letters[0]
        for letter in letters[1:]:
            g = np.add(g, letter)
        if nodes[name]["pull"] is None:
            out[name] = g
            continue
        parts = list(nodes[name]["pull"](g))
        if len(parts) != len(nodes[name]["inputs"]):
            raise ValueError("wrong number of gradients")
        for source, part in zip(nodes[name]["inputs"], parts, strict=True):
            if source is not None and part is not None:
                inbox.setdefault(source, []).append(part)
    return out


def saved_bytes(saved, params):
    def owner(array):
        while array.base is not None:
            array = array.base
        return array

    owners = [owner(array) for array in saved]
    theirs = [owner(array) for array in params]
    mine = np.array([all(o is not p for p in theirs) for o in owners], bool)
    unique = {id(o): o.nbytes for o, keep in zip(owners, mine, strict=True) if keep}
    sizes = np.array([array.nbytes for array in saved], np.int64)
    return {
        "packs": np.int64(len(saved)),
        "buffers": np.int64(len(unique)),
        "bytes": np.array(list(unique.values()), np.int64).sum(),
        "naive": sizes[mine].sum(),
    }
