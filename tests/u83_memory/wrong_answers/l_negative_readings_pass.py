"""Looks for None, zeros and low peaks, and not for less than nothing."""


def _refuse_unmeasured(seen):
    readings = [value for phase in seen.values() for value in phase.values()]
    if None in readings or not any(readings):
        raise RuntimeError(f"nothing was measured: {readings}")
    for name, phase in seen.items():
        if phase["peak"] < max(phase["before"], phase["after"]):
            raise RuntimeError(f"the peak of {name} is below what was alive: {phase}")
