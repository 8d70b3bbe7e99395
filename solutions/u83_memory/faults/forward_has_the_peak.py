"""Takes the end of the forward for the peak of the step.

check = "8.3.h/the_phase_with_the_peak"
stage = "numpy"
says = "The forward was named although another phase has the larger peak. Activations are not the whole story: backward makes gradients beside them, and AdamW needs temporaries."
"""

_peaked_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _peaked_predict_phases(widths, batch, optimizer, foreach, set_to_none)
    return {**found, "peak_phase": "forward"}
