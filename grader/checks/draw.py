"""Seeded randomness for checks: fresh cases each run, the same case for the same seed."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

_Item = TypeVar("_Item")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def fresh_seed() -> str:
    """Return a new seed, eight hexadecimal digits."""
    return secrets.token_hex(4)


class Draw:
    """Random values for one check.

    The stream depends on the run's seed and the check's id, so that a check sees the same case
    whether it runs alone or with all others.
    """

    def __init__(self, seed: str, check: str) -> None:
        digest = hashlib.sha256(f"{seed}/{check}".encode()).digest()
        self.seed = int.from_bytes(digest[:4], "little")
        self.rng = np.random.default_rng(int.from_bytes(digest, "little"))

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return int(self.rng.integers(low, high, endpoint=True))

    def integers(self, low: int, high: int, count: int) -> list[int]:
        """Return `count` integers from `low` to `high`, both included."""
        return [self.integer(low, high) for _ in range(count)]

    def uniform(self, low: float, high: float) -> float:
        """Return a float from `low` to `high`."""
        return float(self.rng.uniform(low, high))

    def choice(self, items: Sequence[_Item]) -> _Item:
        """Return one of `items`."""
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """Return `items` in a random order."""
        return [items[int(i)] for i in self.rng.permutation(len(items))]

    def normal(self, shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray:
        """Return standard normal values."""
        return self.rng.standard_normal(tuple(shape)).astype(dtype)

    def name(self, length: int = 5) -> str:
        """Return a random lower-case word."""
        return "".join(self.choice(_LETTERS) for _ in range(length))
