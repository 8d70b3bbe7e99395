"""Unit 8.7, NumPy stage: continue a run bit for bit, and write a file so that nothing can tear it.

Letters in shapes: n examples, d inputs, b examples of a batch. Only NumPy and the standard library
are needed. No function changes its arguments, none touches NumPy's global random state, and what a
function returns shares no memory with its arguments.

The *state of a generator* is what ``generator.bit_generator.state`` gives for a generator made by
`np.random.default_rng`: a dict of Python integers and text, which fits into JSON as it is.
"""

import hashlib
import math
import os
import struct

import numpy as np


def _at(state):
    """Return a new generator that stands in a state."""
    bits = np.random.PCG64(0)
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
    if n < 0 or position < 0 or batch_size < 1 or position > -(-n // batch_size):
        raise ValueError("not a place in an epoch")
    generator = _at(before)
    order = generator.permutation(n)
    starts = iter(range(position * batch_size, n, batch_size))
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
    if steps < 0 or x.ndim != 2 or y.shape != x.shape[:1] or not len(x):
        raise ValueError("steps must be 0 or more, x [n, d] and y [n] with an example")
    run = _Run(x, y, settings, state)
    losses = np.fromiter((next(run) for _ in range(steps)), np.float64, count=steps)
    return {"losses": losses, "state": run.state()}


class _Run:
    """An endless iterator over the losses of a run that can be asked for its state in between."""

    def __init__(self, x, y, settings, state):
        self.x, self.y, self.set = x, y, settings
        if state is None:
            self.w, self.v = np.zeros(x.shape[1]), np.zeros(x.shape[1])
            self.generator = np.random.default_rng(settings["seed"])
            self.before, self.used, self.epoch = self.generator.bit_generator.state, 0, 0
            self.left = iter(())
        else:
            self.w, self.v = (np.array(state[name], dtype=np.float64) for name in "wv")
            self.generator = _at(state["now"])
            self.before, self.used, self.epoch = state["before"], state["used"], state["epoch"]
            # An order is there only after its first batch: at 0 it is yet to be drawn.
            self.left = iter(self._order()["batches"] if self.used else ())

    def _order(self):
        return rest_of_epoch(self.before, len(self.y), self.set["batch_size"], self.used)

    def __iter__(self):
        return self

    def __next__(self):
        generator = self.generator
        if self.used == 0:
            self.before = generator.bit_generator.state
            epoch = self._order()
            self.left = iter(epoch["batches"])
            generator.bit_generator.state = epoch["after"]
        rows = next(self.left)
        self.used += 1
        x, y, drop = self.x.take(rows, axis=0), self.y.take(rows), self.set["drop"]
        if drop > 0:
            x *= generator.random(x.shape) >= drop
            x /= 1 - drop
        miss = np.einsum("bd,d->b", x, self.w) - y
        gradient = 2 / len(rows) * np.einsum("bd,b->d", x, miss)
        self.v = self.set["momentum"] * self.v + gradient
        self.w = self.w - self.set["lr"] * self.set["decay"] ** self.epoch * self.v
        if self.used * self.set["batch_size"] >= len(self.y):
            self.used, self.epoch = 0, self.epoch + 1
        return np.square(miss).mean()

    def state(self):
        """Return what the next step reads."""
        return {
            "w": self.w.copy(),
            "v": self.v.copy(),
            "now": self.generator.bit_generator.state,
            "before": _at(self.before).bit_generator.state,
            "used": int(self.used),
            "epoch": int(self.epoch),
        }


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
        raise ValueError("a state is a dict")
    body = b"".join(reversed(list(_words(state))))
    return _MAGIC + hashlib.sha256(body).digest() + body


_MAGIC = b"87state\n"
_KINDS = frozenset("biuf")
_DONE = object()


def _word(tag, payload=b""):
    """Return one word of the stack language: tag, length, payload."""
    return tag + struct.pack("<Q", len(payload)) + payload


def _words(state):
    """Yield the words of a state, last one first.

    Read the other way round they are a program for a machine with a stack: a value is pushed, a
    container takes its entries off the stack. No recursion, so a state may be as deep as it likes.
    """
    todo, open_ = [(state, None)], set()
    while todo:
        value, closes = todo.pop()
        if value is _DONE:
            open_.discard(closes)
            continue
        if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
            plain = (bool, int, int, float)["biuf".index(value.dtype.kind)](value)
            if plain != value and plain == plain:  # noqa: PLR0124 - NaN
                raise ValueError("no Python number equals this one")
            value = plain
        if value is None:
            yield _word(b"N")
        elif isinstance(value, bool):
            yield _word(b"T" if value else b"F")
        elif isinstance(value, int):
            value = int(value)
            yield _word(b"I", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
        elif isinstance(value, float):
            yield _word(b"D", struct.pack("<d", value))
        elif isinstance(value, str):
            yield _word(b"S", value.encode("utf-8", "surrogatepass"))
        elif isinstance(value, np.ndarray):
            if value.dtype.kind not in _KINDS or isinstance(value, np.ma.MaskedArray):
                raise ValueError(f"an array of {value.dtype} is no part of a state")
            yield _word(b"A", value.tobytes())
            yield _word(b"H", struct.pack(f"<{value.ndim}Q", *value.shape))
            yield _word(b"S", value.dtype.str.encode())
        elif isinstance(value, list | tuple | dict):
            if id(value) in open_:
                raise ValueError("a state that contains itself")
            open_.add(id(value))
            todo.append((_DONE, id(value)))
            yield _word(b"M" if isinstance(value, dict) else b"L", struct.pack("<Q", len(value)))
            if isinstance(value, dict):
                if not all(isinstance(key, str) for key in value):
                    raise ValueError("a key is not text")
                todo.extend((part, None) for pair in value.items() for part in pair)
            else:
                todo.extend((part, None) for part in value)
        else:
            raise ValueError(f"{type(value).__name__} is no part of a state")


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
    try:
        data = bytes(memoryview(data))
        head = len(_MAGIC) + hashlib.sha256().digest_size
        body = data[head:]
        if data[:head] != _MAGIC + hashlib.sha256(body).digest():
            raise ValueError("not what pack_state gave")
        state = _perform(body)
    except (TypeError, IndexError, struct.error, OverflowError, KeyError, MemoryError) as error:
        raise ValueError("not what pack_state gave") from error
    if not isinstance(state, dict):
        raise ValueError("not a state")
    return state


def _perform(body):
    """Run the program that `_words` wrote, and return what it leaves on the stack."""
    stack, at = [], 0

    def take(count):
        if count > len(stack):
            raise ValueError("the stack is too short")
        # Entries were written last one last, and so they lie the other way round.
        taken = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return taken

    while at < len(body):
        tag, size = body[at : at + 1], struct.unpack_from("<Q", body, at + 1)[0]
        at += 9 + size
        if at > len(body):
            raise ValueError("cut short")
        load = body[at - size : at]
        if tag == b"N":
            stack.append(None)
        elif tag in b"TF":
            stack.append(tag == b"T")
        elif tag == b"I":
            stack.append(int.from_bytes(load, "little", signed=True))
        elif tag == b"D":
            stack.append(struct.unpack("<d", load)[0])
        elif tag == b"S":
            stack.append(load.decode("utf-8", "surrogatepass"))
        elif tag == b"H":
            stack.append(struct.unpack(f"<{size // 8}Q", load))
        elif tag == b"A":
            name, shape = take(2)
            kind = np.dtype(name)
            if kind.kind not in _KINDS or math.prod(shape) * kind.itemsize != size:
                raise ValueError("no array")
            stack.append(np.frombuffer(bytearray(load), kind).reshape(shape))
        elif tag == b"L":
            stack.append(take(*struct.unpack("<Q", load)))
        elif tag == b"M":
            flat = iter(take(2 * struct.unpack("<Q", load)[0]))
            stack.append(dict(zip(flat, flat, strict=True)))
        else:
            raise ValueError("no such word")
    (state,) = stack
    return state


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
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError("data must be bytes, bytearray or memoryview")
    content = memoryview(bytes(data))
    where, name = os.path.split(os.fspath(path))
    folder = os.open(where or os.curdir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Every name from here on is looked up in this folder, wherever it is moved meanwhile.
        unsafe = f".{os.urandom(12).hex()}.part"  # short: `name` may be as long as names can be
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_DSYNC
        file = os.open(unsafe, flags, 0o666, dir_fd=folder)
        try:
            try:
                at = 0
                while at < len(content):  # O_DSYNC: what pwrite has taken is on the disk
                    at += os.pwrite(file, content[at:], at)
            finally:
                os.close(file)
            os.rename(unsafe, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(unsafe, dir_fd=folder)
            raise
        os.fsync(folder)
    finally:
        os.close(folder)
