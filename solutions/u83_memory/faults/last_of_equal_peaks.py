"""Names the last of equal peaks.

check = "8.3.l/equal_peaks_and_bad_lists"
stage = "torch"
says = "Of two equal peaks the later phase was named. The first one is asked for."
"""

_first_phase_memory = phase_memory


def phase_memory(phases, meter):
    found = _first_phase_memory(phases, meter)
    seen = found["phases"]
    top = max(reversed(seen), key=lambda name: seen[name]["peak"])
    return {**found, "peak_phase": top}
