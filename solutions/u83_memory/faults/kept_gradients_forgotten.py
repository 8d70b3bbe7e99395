"""Forgets gradients that were kept.

check = "8.3.h/live_kept_gradients"
stage = "numpy"
says = "With set_to_none=False the gradients are there in the forward already, and new ones are made beside them in the backward."
"""

_keeping_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    return _keeping_predict_phases(widths, batch, optimizer, foreach)
