"""Names the last of two phases with equal peaks."""

_h_first = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _h_first(widths, batch, optimizer, foreach, set_to_none)
    names = ("update", "backward", "forward")
    return {**found, "peak_phase": max(names, key=lambda name: found[name]["peak"])}
