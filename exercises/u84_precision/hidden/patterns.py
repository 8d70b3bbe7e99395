"""Bit patterns of float32 numbers of every kind."""

from __future__ import annotations

import numpy as np

from grader.checks.draw import Draw


def float64_of(bits: np.ndarray) -> np.ndarray:
    """Return float32 bit patterns as float64, without a word about the NaNs that signal."""
    with np.errstate(invalid="ignore"):
        return bits.view(np.float32).astype(np.float64)


def drawn_patterns(draw: Draw, count: int) -> np.ndarray:
    """Return float32 bit patterns of every kind, ties of the usual formats among them."""
    bits = draw.rng.integers(0, 2**32, count, dtype=np.uint64)
    ties = draw.rng.integers(0, 2**16, count // 8, dtype=np.uint64) << np.uint64(16)
    half_ties = draw.rng.integers(0, 2**19, count // 8, dtype=np.uint64) << np.uint64(13)
    normal = draw.rng.standard_normal(count // 4).astype(np.float32)
    scaled = (normal * 10.0 ** draw.rng.integers(-9, 6, normal.size)).astype(np.float32)
    return np.concatenate(
        [
            bits,
            ties | np.uint64(0x8000),
            half_ties | np.uint64(0x1000),
            scaled.view(np.uint32).astype(np.uint64),
        ]
    ).astype(np.uint32)
