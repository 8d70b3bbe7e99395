"""Unit 8.7, NumPy stage: continue a run bit for bit, and write a file so that nothing can tear it.

Letters in shapes: n examples, d inputs, b examples of a batch. Only NumPy and the standard library
are needed. No function changes its arguments, none touches NumPy's global random state, and what a
function returns shares no memory with its arguments.

The *state of a generator* is what ``generator.bit_generator.state`` gives for a generator made by
`np.random.default_rng`: a dict of Python integers and text, which fits into JSON as it is.
"""

import contextlib
import copy
import errno
import hashlib
import math
import os
import struct

import numpy as np


def _generator(state):
    """Return a generator in a state."""
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


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
    if n < 0 or position < 0:
        raise ValueError(f"n is {n} and position {position}, neither may be negative")
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, must be 1 or more")
    if position > -(-n // batch_size):
        raise ValueError(f"position is {position}, but the epoch has {-(-n // batch_size)} batches")
    generator = _generator(before)
    order = generator.permutation(n)
    starts = range(position * batch_size, n, batch_size)
    return {
        "batches": [order[start : start + batch_size].copy() for start in starts],
        "after": generator.bit_generator.state,
    }


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
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if steps < 0:
        raise ValueError(f"steps is {steps}, must be 0 or more")
    if x.ndim != 2 or len(x) == 0 or y.shape != (len(x),):
        raise ValueError(f"x is {x.shape} and y {y.shape}, must be [n, d] and [n] with n > 0")
    if state is None:
        w, v = np.zeros(x.shape[1]), np.zeros(x.shape[1])
        generator = np.random.default_rng(settings["seed"])
        before, epoch, position = None, 0, 0
    else:
        w, v = state["w"].copy(), state["v"].copy()
        generator = _generator(state["generator"])
        before = copy.deepcopy(state["before"])
        epoch, position = state["epoch"], state["position"]
    drop, size = settings["drop"], settings["batch_size"]
    left = None  # the batches that are left of this epoch
    losses = np.empty(steps)
    for step in range(steps):
        if position == 0:
            before = generator.bit_generator.state
            epoch_now = rest_of_epoch(before, len(x), size, 0)
            left = epoch_now["batches"]
            generator.bit_generator.state = epoch_now["after"]
        elif left is None:  # drawn by an earlier call; the generator is past it
            left = rest_of_epoch(before, len(x), size, position)["batches"]
        chosen = left.pop(0)
        x_b, y_b = x[chosen], y[chosen]
        if drop > 0:
            keep = generator.random(x_b.shape) >= drop
            x_b = x_b * keep / (1 - drop)
        error = x_b @ w - y_b
        losses[step] = np.mean(error**2)
        v = settings["momentum"] * v + 2 / len(x_b) * (x_b.T @ error)
        w = w - settings["lr"] * settings["decay"] ** epoch * v
        position += 1
        if not left:
            epoch, position, before = epoch + 1, 0, None
    return {
        "losses": losses,
        "state": {
            "w": w,
            "v": v,
            "generator": generator.bit_generator.state,
            "before": before,
            "epoch": int(epoch),
            "position": int(position),
        },
    }


_MAGIC = b"state-1\n"


class _Leave:
    """A container has been packed."""

    def __init__(self, container):
        self.container = container


def _count(number):
    """Return a count as 8 bytes."""
    return struct.pack("<Q", number)


def _text(text):
    """Return text as bytes with their number in front; half of a surrogate pair is kept."""
    data = text.encode("utf-8", "surrogatepass")
    return _count(len(data)) + data


def _pack_one(value):
    """Return what is no container as bytes: a letter for its kind, then its content."""
    if isinstance(value, np.generic):
        value = _plain_number(value)
    if value is None or value is True or value is False:
        return {None: b"N", True: b"T", False: b"F"}[value]
    if type(value) is int:  # in hexadecimal, which has no limit of digits
        return b"I" + _text(f"{value:x}")
    if type(value) is float:
        return b"D" + struct.pack("<d", value)
    if type(value) is str:
        return b"S" + _text(value)
    if type(value) in {np.ndarray, np.memmap} and value.dtype.kind in "biuf":
        shape = b"".join(_count(size) for size in value.shape)
        return b"A" + _text(value.dtype.str) + _count(value.ndim) + shape + value.tobytes()
    raise ValueError(f"a state cannot hold {type(value).__name__}: {value!r:.80}")


def _plain_number(value):
    """Return the Python number that a NumPy number equals."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer) and value.dtype.kind in "iu":
        return int(value)
    if isinstance(value, np.floating):
        plain = float(value)
        if plain == value or math.isnan(plain):
            return plain
    raise ValueError(f"no Python number equals {value!r}")


def pack_state(state):
    """Return a state as bytes, without pickle, so that reading it can run nothing.

    A state is a dict with text as keys. Values are None, bools, integers of any size, floats (also
    NaN and infinite ones), text, NumPy arrays of bools, integers or floats of any shape (also with
    no dimension or no entry, and views of other arrays), lists of such values, and such dicts. A
    tuple is stored as a list, and a NumPy number as the Python number that it equals.

    Args:
        state: The dict.

    Returns:
        bytes, such that `unpack_state` gives the same state in any other process.

    Raises:
        ValueError: If a key is not text, or a value is anything else, such as a set or an array of
            objects, of text or of complex numbers.
    """
    if not isinstance(state, dict):
        raise ValueError(f"a state is a dict, not {type(state).__name__}")
    out, path = [], set()
    todo = [state]
    while todo:
        value = todo.pop()
        if isinstance(value, _Leave):
            path.discard(value.container)
        elif isinstance(value, (dict, list, tuple)):
            if id(value) in path:
                raise ValueError("a state cannot hold itself")
            path.add(id(value))
            todo.append(_Leave(id(value)))
            if isinstance(value, dict):
                out.append(b"M" + _count(len(value)))
                for key in value:
                    if type(key) is not str:
                        raise ValueError(f"a key is text, not {key!r}")
                    out.append(_text(key))
                todo.extend(reversed(list(value.values())))
            else:
                out.append(b"L" + _count(len(value)))
                todo.extend(reversed(value))
        else:
            out.append(_pack_one(value))
    payload = b"".join(out)
    return _MAGIC + hashlib.sha256(payload).digest() + payload


class _Reader:
    """Reads what `pack_state` wrote, without recursion."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        """Return the next bytes."""
        if size > len(self.data) - self.at:
            raise ValueError("too short")
        self.at += size
        return self.data[self.at - size : self.at]

    def count(self):
        return struct.unpack("<Q", self.take(8))[0]

    def text(self):
        return self.take(self.count()).decode("utf-8", "surrogatepass")

    def one(self, kind):
        """Return the next value, which is no container."""
        if kind in b"NTF":
            return {b"N": None, b"T": True, b"F": False}[kind]
        if kind == b"I":
            return int(self.text(), 16)
        if kind == b"D":
            return struct.unpack("<d", self.take(8))[0]
        if kind == b"S":
            return self.text()
        if kind != b"A":
            raise ValueError(f"unknown kind {kind!r}")
        dtype = np.dtype(self.text())
        shape = tuple(self.count() for _ in range(self.count()))
        array = np.empty(shape, dtype)
        raw = self.take(array.nbytes)
        if raw:
            array.reshape(-1).view(np.uint8)[:] = np.frombuffer(raw, np.uint8)
        return array

    def read(self):
        """Return the whole state."""
        result = []
        open_ones = [(result, iter((0,)))]  # containers, with the places that are to be filled
        while open_ones:
            container, places = open_ones[-1]
            place = next(places, None)
            if place is None:
                open_ones.pop()
                continue
            kind = self.take(1)
            if kind == b"M":
                value = {}
                keys = [self.text() for _ in range(self.count())]
                open_ones.append((value, iter(keys)))
            elif kind == b"L":
                value = []
                open_ones.append((value, iter(range(self.count()))))
            else:
                value = self.one(kind)
            if isinstance(container, list):
                container.append(value)
            else:
                container[place] = value
        if self.at != len(self.data) or not isinstance(result[0], dict):
            raise ValueError("not one dict")
        return result[0]


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
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ValueError(f"{type(data).__name__} is not bytes")
    data = bytes(data)
    start = len(_MAGIC) + hashlib.sha256().digest_size
    payload = data[start:]
    if data[:start] != _MAGIC + hashlib.sha256(payload).digest():
        raise ValueError("these are not all the bytes of a state, or not the bytes it had")
    try:
        return _Reader(payload).read()
    except Exception as error:
        raise ValueError("the bytes are whole, but no state") from error


def _write_forced(path, data):
    """Write a new file and force its content to the disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        rest = memoryview(data)
        while len(rest):
            written = os.write(file, rest)
            if not written:
                raise OSError(errno.EIO, "nothing was written", path)
            rest = rest[written:]
        os.fsync(file)
    finally:
        os.close(file)


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
    and elsewhere may be another one.

    Args:
        path: The file, text or `Path`. Its folder exists.
        data: bytes, bytearray or memoryview; may be empty.

    Raises:
        OSError: Whatever the system raises, for example `FileNotFoundError` without the folder.
        TypeError: If `data` is anything else, such as text; nothing is touched then.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data is {type(data).__name__}, must be bytes")
    if isinstance(data, memoryview):
        data = data.tobytes()
    path = os.fspath(path)
    # The folder is opened first: where that is refused, nothing has happened yet.
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        name = f".tmp-{os.getpid()}-{os.urandom(8).hex()}"
        temporary = os.path.join(os.path.dirname(path), name)
        try:
            _write_forced(temporary, data)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        os.fsync(folder)
    finally:
        os.close(folder)
