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
    raise NotImplementedError("8.7.a")


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
    raise NotImplementedError("8.7.b")


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
    raise NotImplementedError("8.7.c")


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
    raise NotImplementedError("8.7.d")


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
    raise NotImplementedError("8.7.e")
