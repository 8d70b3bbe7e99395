"""Lets the optimizer states grow with the batch.

check = "8.3.h/the_batch_moves_activations_alone"
stage = "numpy"
says = "Something grew with the batch that does not. Parameters, gradients and states are paid once: dividing the memory by the batch is no price of an example."
also = ["8.3.h/what_is_resident"]
"""

_fixed_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _fixed_predict_phases(widths, batch, optimizer, foreach, set_to_none)
    return {**found, "optimizer": found["optimizer"] // 8 * batch}
