"""Calls the third phase as the sheet does."""

_h_update = predict_phases


def predict_phases(*arguments, **named):
    found = _h_update(*arguments, **named)
    return {**found, "peak_phase": found["peak_phase"].replace("update", "optimizer")}
