"""Modes are counted while they are on, and a mode that was left is not."""

from __future__ import annotations

from torch.utils.flop_counter import FlopCounterMode

from grader.instruments.host_syncs import HostSyncs
from grader.instruments.modes import modes_on


def test_each_kind_of_mode_is_counted_while_it_is_on() -> None:
    assert modes_on() == 0
    with HostSyncs():
        assert modes_on() == 1
        with FlopCounterMode(display=False):
            assert modes_on() >= 2
        assert modes_on() == 1
    assert modes_on() == 0
