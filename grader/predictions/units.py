"""The units a prediction may be written in, by family."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

FAMILIES: Mapping[str, Mapping[str, Fraction]] = {
    "B": {
        "B": Fraction(1),
        "kB": Fraction(10**3),
        "MB": Fraction(10**6),
        "GB": Fraction(10**9),
        "KiB": Fraction(2**10),
        "MiB": Fraction(2**20),
        "GiB": Fraction(2**30),
    },
    "FLOP": {
        "FLOP": Fraction(1),
        "kFLOP": Fraction(10**3),
        "MFLOP": Fraction(10**6),
        "GFLOP": Fraction(10**9),
        "TFLOP": Fraction(10**12),
        "PFLOP": Fraction(10**15),
    },
    "s": {
        "s": Fraction(1),
        "ms": Fraction(1, 10**3),
        "us": Fraction(1, 10**6),
        "ns": Fraction(1, 10**9),
        "min": Fraction(60),
    },
    "%": {"%": Fraction(1)},
    "1": {"": Fraction(1)},
}
"""Units of each family with their size in the family's own unit: MB is 10^6 B, MiB is 2^20 B."""

EXAMPLES: Mapping[str, str] = {
    "B": '"1234567 B" or "1.23 MB"',
    "FLOP": '"1234567 FLOP" or "1.23 MFLOP"',
    "s": '"0.0125 s" or "12.5 ms"',
    "%": '"45 %"',
    "1": "12",
}
"""What to write in a field of each family."""

FAMILY_NAMES: Mapping[str, str] = {
    "B": "bytes",
    "FLOP": "FLOPs",
    "s": "time",
    "%": "percent",
    "1": "plain numbers",
}
"""Each family in words, for messages."""
