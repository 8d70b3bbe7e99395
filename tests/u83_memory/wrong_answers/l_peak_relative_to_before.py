"""Reports peaks above what was alive before."""

_k_absolute = phase_memory


def phase_memory(phases, meter):
    found = _k_absolute(phases, meter)
    for phase in found["phases"].values():
        phase["peak"] -= phase["before"]
    return found
