"""Counts labels with 4 bytes each."""

_h_labels = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _h_labels(widths, batch, optimizer, foreach, set_to_none)
    found["batch"] -= 4 * batch
    for name in ("forward", "backward", "update"):
        found[name] = {key: size - 4 * batch for key, size in found[name].items()}
    return found
