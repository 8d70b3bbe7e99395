"""The bound is a member of a StrEnum."""

from enum import StrEnum


class Bound(StrEnum):
    INPUT = "input"
    TRANSFER = "transfer"
    LAUNCH = "launch"
    SYNC = "sync"
    COMPUTE = "compute"
    MEMORY = "memory"


_reference_h = diagnose


def diagnose(measurements):
    r = _reference_h(measurements)
    return {**r, "bound": Bound(r["bound"])}
