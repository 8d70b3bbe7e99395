"""Leaves AdamW's step counters out of a step.

check = "8.3.h/what_is_resident"
stage = "numpy"
says = "This is AdamW's state without its step counters: 4 bytes for each parameter tensor are missing."
also = ["8.3.h/live_update", "8.3.h/live_kept_gradients"]
"""

_counting_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _counting_predict_phases(widths, batch, optimizer, foreach, set_to_none)
    if optimizer == "adamw":
        lost = 8 * (len(widths) - 1)
        found["optimizer"] -= lost
        for phase in ("forward", "backward", "update"):
            found[phase] = {name: size - lost for name, size in found[phase].items()}
    return found
