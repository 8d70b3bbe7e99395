"""The model by addresses against the constants of torch's own header, and against its own rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from grader.instruments.caching_allocator import (
    MIB,
    AllocatorModel,
    OutOfMemory,
    answers_known_question,
    replay,
)


def _constants() -> dict[str, int]:
    header = Path(torch.__file__).parent / "include" / "c10" / "core" / "AllocatorConfig.h"
    found = re.findall(r"constexpr size_t (k\w+) = (\d+);", header.read_text(encoding="utf-8"))
    return {name: int(value) for name, value in found}


def test_it_answers_its_known_question() -> None:
    assert answers_known_question()


def test_sizes_are_those_of_torchs_header() -> None:
    constants = _constants()
    for size, block, segment in (
        (1, constants["kMinBlockSize"], constants["kSmallBuffer"]),
        (constants["kSmallSize"], constants["kSmallSize"], constants["kSmallBuffer"]),
        (constants["kMinLargeAlloc"], constants["kMinLargeAlloc"], constants["kMinLargeAlloc"]),
        (
            constants["kMinLargeAlloc"] + 1,
            constants["kMinLargeAlloc"] + constants["kMinBlockSize"],
            constants["kMinLargeAlloc"] + constants["kRoundLarge"],
        ),
    ):
        stats = replay([("malloc", size)])[-1]
        assert (stats["allocated"], stats["reserved"]) == (block, segment)


def test_a_gap_serves_what_fits_and_nothing_else() -> None:
    model = AllocatorModel()
    first, second, _ = (model.malloc(6 * MIB) for _ in range(3))
    model.free(second)
    model.malloc(7 * MIB)
    assert model.reserved == 40 * MIB
    model.free(first)
    model.malloc(12 * MIB)  # the two freed ones are one gap
    assert model.reserved == 40 * MIB


def test_a_limit_gives_the_cache_back_before_it_fails() -> None:
    model = AllocatorModel(limit=40 * MIB)
    model.free(model.malloc(30 * MIB))
    model.malloc(32 * MIB)
    assert model.reserved == 32 * MIB
    with pytest.raises(OutOfMemory):
        model.malloc(10 * MIB)


def test_peaks_begin_at_what_is_alive() -> None:
    seen = replay([("malloc", 3 * MIB), ("malloc", 9 * MIB), ("free", 1), ("reset_peak",),
                   ("malloc", 5 * MIB)])  # fmt: skip
    assert [stats["peak_allocated"] // MIB for stats in seen] == [3, 12, 12, 3, 8]
    assert seen[-1]["inactive_split"] == seen[-1]["reserved"] - seen[-1]["allocated"]
