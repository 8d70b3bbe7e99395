"""Reports a peak that is below what was alive.

check = "8.3.l/a_peak_below_what_is_alive"
stage = "torch"
says = "A peak below what was alive in the same phase was reported. A meter whose reset forgets the living reads far too little."
source = "flagos-ai/Torch-FL PR#364"
"""


def _refuse_unmeasured(seen):
    readings = [value for phase in seen.values() for value in phase.values()]
    if any(value is None or value < 0 for value in readings) or not any(readings):
        raise RuntimeError(f"nothing was measured: {readings}")
