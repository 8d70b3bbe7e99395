"""The NumPy stage with whole arrays, one archive member a leaf, and a second generator."""
# ruff: noqa  (other ways, on purpose)

import contextlib
import io
import json
import os
import pathlib
import tempfile
import zlib

import numpy as np


def rest_of_epoch(before, n, batch_size, position):
    if min(n, position) < 0 or batch_size <= 0:
        raise ValueError("negative")
    cuts = np.arange(0, n, batch_size)
    if position > cuts.size:
        raise ValueError("behind the end")
    generator = np.random.Generator(np.random.PCG64(0))
    generator.bit_generator.state = before
    order = generator.permutation(n)
    batches = np.split(order, cuts[1:]) if n else []
    return {"batches": batches[position:], "after": generator.bit_generator.state}


def train(x, y, settings, steps, state=None):
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.ndim != 2 or x.shape[:1] != y.shape or x.shape[0] < 1 or steps < 0:
        raise ValueError("bad arguments")
    n, d = x.shape
    size, count = settings["batch_size"], -(-n // settings["batch_size"])
    draws, orders = np.random.default_rng(settings["seed"]), np.random.default_rng()
    table = np.zeros((2, d))
    done = 0
    before = draws.bit_generator.state
    if state is not None:
        table, done = state["table"].copy(), int(state["done"])
        draws.bit_generator.state, before = state["draws"], state["before"]
    losses = np.zeros(steps)
    order = None
    for i in range(steps):
        epoch, position = divmod(done, count)
        if position == 0:
            before = draws.bit_generator.state
            order = draws.permutation(n)
        elif order is None:
            orders.bit_generator.state = before
            order = orders.permutation(n)
        chosen = order[position * size :][:size]
        inputs = x.take(chosen, axis=0)
        if settings["drop"] > 0:
            inputs = inputs * (draws.random(inputs.shape) >= settings["drop"])
            inputs /= 1 - settings["drop"]
        error = inputs.dot(table[0]) - y[chosen]
        losses[i] = np.square(error).mean()
        table[1] = settings["momentum"] * table[1] + 2 * error.dot(inputs) / chosen.size
        table[0] -= settings["lr"] * settings["decay"] ** epoch * table[1]
        done += 1
    kept = {"table": table, "done": done, "draws": draws.bit_generator.state, "before": before}
    return {"losses": losses, "state": kept}


def pack_state(state):
    leaves = {}

    def walk(value):
        if isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                raise ValueError("key")
            return {"d": [[key, walk(item)] for key, item in value.items()]}
        if isinstance(value, (tuple, list)):
            return {"l": [walk(item) for item in value]}
        if isinstance(value, np.bool_ | np.integer | np.floating):
            value = value.item()
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biuf":
                raise ValueError("dtype")
            leaves[f"leaf{len(leaves)}"] = value
            return {"a": f"leaf{len(leaves) - 1}"}
        if isinstance(value, (str, int, float)) or value is None:
            return {"v": value}
        raise ValueError("kind")

    if not isinstance(state, dict):
        raise ValueError("a dict is wanted")
    head = json.dumps(walk(state)).encode()
    file = io.BytesIO()
    np.savez_compressed(file, **leaves)
    body = len(head).to_bytes(8, "big") + head + file.getvalue()
    return body + zlib.crc32(body).to_bytes(4, "big") + zlib.adler32(body).to_bytes(4, "big")


def unpack_state(data):
    body, check = data[:-8], data[-8:]
    want = zlib.crc32(body).to_bytes(4, "big") + zlib.adler32(body).to_bytes(4, "big")
    if len(data) < 16 or check != want:
        raise ValueError("not whole")
    size = int.from_bytes(body[:8], "big")
    leaves = np.load(io.BytesIO(body[8 + size :]))

    def walk(node):
        ((kind, held),) = node.items()
        if kind == "d":
            return {key: walk(item) for key, item in held}
        if kind == "l":
            return [walk(item) for item in held]
        return leaves[held] if kind == "a" else held

    return walk(json.loads(body[8 : 8 + size]))


def atomic_write(path, data):
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(type(data).__name__)
    path = pathlib.Path(path)
    with contextlib.ExitStack() as stack:
        file = tempfile.NamedTemporaryFile(dir=path.parent, delete=False)
        stack.callback(pathlib.Path(file.name).unlink, missing_ok=True)
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
        stack.pop_all()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    with contextlib.closing(_Closing(folder)):
        os.fsync(folder)


class _Closing:
    def __init__(self, descriptor):
        self.descriptor = descriptor

    def close(self):
        os.close(self.descriptor)
