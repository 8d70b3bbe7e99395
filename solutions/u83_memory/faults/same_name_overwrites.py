"""Lets a second phase of the same name take the place of the first.

check = "8.3.l/equal_peaks_and_bad_lists"
stage = "torch"
says = "Two phases of the same name were run, and one of them has vanished from the result. Refuse the list before anything runs."
"""

_unique_phase_memory = phase_memory


def phase_memory(phases, meter):
    phases = list(phases)
    names = [name for name, _ in phases]
    if len(set(names)) == len(names):
        return _unique_phase_memory(phases, meter)
    found = _unique_phase_memory([(n, f) for n, (_, f) in enumerate(phases)], meter)
    seen = dict(zip(names, found["phases"].values(), strict=True))
    return {**found, "phases": seen, "peak_phase": names[found["peak_phase"]]}
