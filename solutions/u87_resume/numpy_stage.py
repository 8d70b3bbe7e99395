"""Unit 8.7, NumPy stage: continue a run bit for bit, and write a file so that nothing can tear it.

Letters in shapes: n examples, d inputs, b examples of a batch. Only NumPy and the standard library
are needed. No function changes its arguments, none touches NumPy's global random state, and what a
function returns shares no memory with its arguments.

The *state of a generator* is what ``generator.bit_generator.state`` gives for a generator made by
`np.random.default_rng`: a dict of Python integers and text, which fits into JSON as it is.
"""

import hashlib
import io
import json
import os
import tempfile
from pathlib import Path

import numpy as np


def rest_of_epoch(before, n, batch_size, position):
    """Return the batches that are left of an epoch, from the generator's state before the epoch.

    An epoch visits all n examples in the order ``generator.permutation(n)``, drawn once when the
    epoch begins. Batch i holds the entries ``i * batch_size`` up to ``(i + 1) * batch_size`` of
    that order; the last one may be shorter and counts as well. `position` batches were used before.

    A generator that has drawn the order is past it: no state of it gives the order again. So a run
    keeps the state from *before* the draw, draws once more, and skips.

    Args:
        before: State of the generator from before the order was drawn.
        n: Examples, 0 or more.
        batch_size: 1 or more.
        position: Batches used, 0 up to the number of batches of the epoch.

    Returns:
        ``{"batches": list of integer arrays, "after": state of the generator after the draw}``.
        With no batch left, or no examples, ``batches`` is empty.

    Raises:
        ValueError: If n or `position` is negative, `position` exceeds the number of batches, or
            `batch_size` is below 1.
    """
    # region 8.7.a
    if n < 0 or batch_size < 1:
        raise ValueError(f"{n} examples in batches of {batch_size}")
    count = -(-n // batch_size)
    if not 0 <= position <= count:
        raise ValueError(f"position {position} in an epoch of {count} batches")
    batches, generator = _rest(before, n, batch_size, position)
    return {"batches": batches, "after": generator.bit_generator.state}
    # endregion


# region hidden
def _generator(state):
    """Return a generator of its own in this state."""
    generator = np.random.default_rng()
    generator.bit_generator.state = state
    return generator


def _rest(before, n, batch_size, position):
    """Return the batches that are left, and the generator after the draw."""
    generator = _generator(before)
    order = generator.permutation(n)
    starts = range(position * batch_size, n, batch_size)
    return [order[start : start + batch_size] for start in starts], generator


# endregion


def train(x, y, settings, steps, state=None):
    """Train a linear model by gradient descent with momentum; start afresh, or go on from a state.

    All numbers are float64. `settings` has ``batch_size``, ``lr``, ``momentum``, ``decay``,
    ``drop`` and ``seed``. A fresh run has weights and velocity of zeros and the generator
    ``np.random.default_rng(seed)``. One step is, in this order:

    1. If an epoch begins: draw its order, as in `rest_of_epoch`.
    2. Take the next batch ``x_b [b, d]``, ``y_b [b]``.
    3. If ``drop > 0``: draw ``keep = generator.random((b, d)) >= drop`` and replace ``x_b`` by
       ``x_b * keep / (1 - drop)``.
    4. The loss is the mean of ``(x_b w - y_b)^2`` over the batch, its gradient
       ``g = 2 / b * x_b^T (x_b w - y_b)``.
    5. ``v = momentum * v + g``, then ``w = w - lr * decay**epoch * v``, where the first epoch is
       epoch 0. After the last batch of an epoch the next one begins.

    One generator draws orders and masks. So in the middle of an epoch two of its states matter:
    the one it is in, and the one from before this epoch's order was drawn.

    Args:
        x: Examples, shape ``[n, d]`` with n of 1 or more.
        y: Targets, shape ``[n]``.
        settings: A dict as above.
        steps: How many steps to make now, 0 or more.
        state: None, or the ``"state"`` of an earlier call, perhaps stored in between. Going on from
            it gives, bit for bit, what the run would have given without the break. ``seed`` is then
            not used. Any number of breaks may follow each other, also in the same epoch.

    Returns:
        ``{"losses": float64 [steps], "state": state}``: each loss is from before its update. The
        state is a dict that `pack_state` accepts, and the run depends on nothing else.

    Raises:
        ValueError: If `steps` is negative, x is not ``[n, d]`` or y not ``[n]``, or there are no
            examples.
    """
    # region 8.7.b
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or y.shape != x.shape[:1] or not len(x):
        raise ValueError(f"examples {x.shape} with targets {y.shape}")
    if steps < 0:
        raise ValueError(f"{steps} steps")
    if state is None:
        now = np.random.default_rng(settings["seed"]).bit_generator.state
        state = {
            "w": np.zeros(x.shape[1]), "v": np.zeros(x.shape[1]),
            "epoch": 0, "position": 0, "generator": now, "before_epoch": now,
        }  # fmt: skip
    w, v = np.array(state["w"]), np.array(state["v"])
    epoch, position = state["epoch"], state["position"]
    generator, before = _generator(state["generator"]), state["before_epoch"]
    size, drop = settings["batch_size"], settings["drop"]
    batches = _rest(before, len(x), size, position)[0] if position else []
    losses = np.empty(steps)
    for i in range(steps):
        if not batches:
            before = generator.bit_generator.state
            batches, generator = _rest(before, len(x), size, 0)
        chosen, batches = batches[0], batches[1:]
        inputs = x[chosen]
        if drop > 0:
            inputs = inputs * (generator.random(inputs.shape) >= drop) / (1 - drop)
        rest = inputs @ w - y[chosen]
        losses[i] = np.mean(rest**2)
        v = settings["momentum"] * v + 2 / len(chosen) * (inputs.T @ rest)
        w = w - settings["lr"] * settings["decay"] ** epoch * v
        position += 1
        if not batches:
            epoch, position = epoch + 1, 0
    state = {
        "w": w, "v": v, "epoch": int(epoch), "position": int(position),
        "generator": generator.bit_generator.state, "before_epoch": before,
    }  # fmt: skip
    return {"losses": losses, "state": state}
    # endregion


def pack_state(state):
    """Return a state as bytes, without pickle, so that reading it can run nothing.

    A state is a dict with text as keys. Values are None, bools, integers (of up to 4300 digits,
    longer ones Python does not write down), floats (also NaN and infinite ones), text, NumPy arrays
    of bools, integers or floats of any shape (also with no dimension or no entry, and views of
    other arrays), lists of such values, and such dicts. A tuple is stored as a list, and a NumPy
    number as the Python number that it equals.

    Args:
        state: The dict.

    Returns:
        bytes, such that `unpack_state` gives the same state in any other process.

    Raises:
        ValueError: If a key is not text, or a value is anything else, such as a set or an array of
            objects, of text, of dates, of records or of complex numbers.
    """
    # region 8.7.c
    arrays = {}
    if not isinstance(state, dict):
        raise ValueError(f"a state is a dict, not a {type(state).__name__}")
    text = json.dumps(_flat(state, arrays)).encode()
    file = io.BytesIO()
    np.savez(file, json=np.frombuffer(text, dtype=np.uint8), **arrays)
    body = file.getvalue()
    return hashlib.sha256(body).digest() + body
    # endregion


# region hidden
def _flat(value, arrays):
    """Return JSON data for a value; its arrays go into `arrays`, which numbers them."""
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise ValueError(f"keys must be text, not {list(value)}")
        return {"dict": [[key, _flat(item, arrays)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"a state cannot hold a {type(value).__name__}")


# endregion


def unpack_state(data):
    """Return the state that `pack_state` made these bytes of.

    Args:
        data: The bytes.

    Returns:
        The dict: the same keys, the same kinds of values, and arrays of the same dtype, shape and
        bits.

    Raises:
        ValueError: If the bytes are not all of what `pack_state` gave: cut short, empty, with
            something behind them, or with as much as one bit changed. It is always this error.
    """
    # region 8.7.d
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != bytes(digest):
        raise ValueError("these bytes are not a whole packed state")
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        flat = json.loads(arrays["json"].tobytes())
        return _deep(flat, arrays)
    # endregion


# region hidden
def _deep(value, arrays):
    """Return the value that `_flat` made this of."""
    if isinstance(value, list):
        return [_deep(item, arrays) for item in value]
    if isinstance(value, dict) and "array" in value:
        return arrays[value["array"]]
    if isinstance(value, dict):
        return {key: _deep(item, arrays) for key, item in value["dict"]}
    return value


# endregion


def atomic_write(path, data):
    """Write a file so that its name leads, at every moment, to the whole old or new content.

    - A kill at any moment leaves the old content, or the new one. If there was no file before, a
      kill leaves none, or the whole new one.
    - The same holds for a power loss, which may also lose whatever was not yet forced to the disk:
      content that was written and not synchronised, and names that were made, moved or removed and
      whose folder was not synchronised, each on its own.
    - When the function returns, the new content survives a power loss.
    - If something fails before the rename (the disk is full, the content cannot be forced to it,
      the folder may not be written), the error of the system is raised as it is, before the rename:
      the old content stays, and no file is left over. What fails after it, such as forcing the
      folder, is raised as well; the new content may have its name by then.
    - What a killed call has left behind does not disturb the next one.

    How a content is forced to the disk is up to you: `os.fsync`, `os.fdatasync`, or a file that was
    opened with `os.O_DSYNC` or `os.O_SYNC`.

    All files that it makes lie in the folder of `path`: a rename is atomic within a file system,
    and elsewhere may be another one. It writes them itself; no other process is started.

    Args:
        path: The file, text or `Path`. Its folder exists.
        data: bytes, bytearray or memoryview; may be empty.

    Raises:
        OSError: Whatever the system raises, for example `FileNotFoundError` without the folder.
        TypeError: If `data` is anything else, such as text; nothing is touched then.
    """
    # region 8.7.e
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data is a {type(data).__name__}, not bytes")
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    # endregion
