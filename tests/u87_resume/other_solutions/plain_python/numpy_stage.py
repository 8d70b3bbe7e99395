"""The NumPy stage with lists, base64 and bare system calls."""
# ruff: noqa  (other ways, on purpose)

import base64
import hashlib
import json
import os
from math import isfinite

import numpy as np


def rest_of_epoch(before, n, batch_size, position):
    if n < 0 or batch_size < 1 or position < 0:
        raise ValueError("sizes")
    bits = np.random.PCG64()
    bits.state = before
    generator = np.random.Generator(bits)
    left = generator.permutation(n).tolist()
    batches = []
    while left:
        batches.append(np.array(left[:batch_size], dtype=int))
        del left[:batch_size]
    if position > len(batches):
        raise ValueError("position")
    return {"batches": batches[position:], "after": bits.state}


def train(x, y, settings, steps, state=None):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    if x.ndim != 2 or y.ndim != 1 or len(x) != len(y) or len(x) == 0 or steps < 0:
        raise ValueError("nothing to train on")
    n, d = x.shape
    generator = np.random.default_rng(settings["seed"])
    run = {"weights": [0.0] * d, "velocity": [0.0] * d, "done": 0, "order": None}
    if state is not None:
        run = json.loads(state["json"])
        generator.bit_generator.state = run.pop("generator")
    w, v = run["weights"], run["velocity"]
    size = settings["batch_size"]
    count = (n + size - 1) // size
    losses = []
    for _ in range(steps):
        epoch, position = divmod(run["done"], count)
        if position == 0:
            run["order"] = generator.permutation(n).tolist()
        chosen = run["order"][position * size : (position + 1) * size]
        rows = x[chosen].tolist()
        if settings["drop"] > 0:
            keep = generator.random((len(chosen), d)) >= settings["drop"]
            factor = 1 / (1 - settings["drop"])
            rows = [
                [a * factor if k else 0.0 for a, k in zip(row, mask, strict=True)]
                for row, mask in zip(rows, keep, strict=True)
            ]
        errors = [
            sum(a * b for a, b in zip(row, w, strict=True)) - y[i]
            for row, i in zip(rows, chosen, strict=True)
        ]
        losses.append(float(sum(e * e for e in errors) / len(errors)))
        gradient = [
            2 / len(rows) * sum(e * row[j] for e, row in zip(errors, rows, strict=True))
            for j in range(d)
        ]
        v = [settings["momentum"] * a + g for a, g in zip(v, gradient, strict=True)]
        rate = settings["lr"] * settings["decay"] ** epoch
        w = [a - rate * b for a, b in zip(w, v, strict=True)]
        run["done"] += 1
        if run["done"] % count == 0:
            run["order"] = None
    run |= {"weights": [float(a) for a in w], "velocity": [float(a) for a in v]}
    assert all(map(isfinite, losses))
    run["generator"] = generator.bit_generator.state
    return {"losses": losses, "state": {"json": json.dumps(run)}}


def pack_state(state):
    if not isinstance(state, dict):
        raise ValueError("a state is a dict")
    body = json.dumps(_out(state)).encode("ascii")
    return body + hashlib.blake2b(body).hexdigest().encode("ascii")


def _out(value):
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return ["int", hex(value)]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, (list, tuple)):
        return ["list", [_out(item) for item in value]]
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            raise ValueError("keys are text")
        return ["dict", [[key, _out(item)] for key, item in value.items()]]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        text = base64.b64encode(value.tobytes()).decode("ascii")
        return ["array", value.dtype.str, list(value.shape), text]
    raise ValueError(f"cannot store {type(value)}")


def _in(value):
    if not isinstance(value, list):
        return value
    kind, *rest = value
    if kind == "int":
        return int(rest[0], 16)
    if kind == "float":
        return float.fromhex(rest[0])
    if kind == "list":
        return [_in(item) for item in rest[0]]
    if kind == "dict":
        return {key: _in(item) for key, item in rest[0]}
    dtype, shape, text = rest
    flat = np.frombuffer(base64.b64decode(text), dtype=np.dtype(dtype))
    return flat.reshape(shape).copy()


def unpack_state(data):
    body, digest = data[:-128], data[-128:]
    if len(data) < 128 or hashlib.blake2b(body).hexdigest().encode("ascii") != digest:
        raise ValueError("damaged")
    return _in(json.loads(body))


def atomic_write(path, data):
    if type(data) not in (bytes, bytearray, memoryview):
        raise TypeError("bytes are wanted")
    path = os.fspath(path)
    beside = f"{path}.{os.getpid()}.part"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_DSYNC, 0o644)
    try:
        try:
            left = memoryview(data).cast("B") if len(data) else memoryview(b"")
            while len(left):
                left = left[os.write(descriptor, left[:4096]) :]
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(beside, path)
    except BaseException:
        os.remove(beside)
        raise
    os.sync()
