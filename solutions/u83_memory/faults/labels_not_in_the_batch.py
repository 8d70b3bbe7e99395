"""Leaves the labels out of the batch.

check = "8.3.h/what_is_resident"
stage = "numpy"
says = "The labels are missing: 8 bytes an example in int64."
also = ["8.3.h/the_batch_moves_activations_alone", "8.3.h/live_forward_and_backward", "8.3.h/live_update", "8.3.h/live_kept_gradients"]
"""

_labelled_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _labelled_predict_phases(widths, batch, optimizer, foreach, set_to_none)
    found["batch"] -= 8 * batch
    for phase in ("forward", "backward", "update"):
        found[phase] = {name: size - 8 * batch for name, size in found[phase].items()}
    return found
