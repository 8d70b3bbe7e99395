"""Makes every parameter require a gradient.

check = "8.6.h/ordinary_models"
stage = "torch"
says = "Parameters that were frozen have a gradient now. What is frozen is for the model to say."
# gradients of frozen parameters are part of the peak
also = ["8.6.h/only_inputs_of_segments_stay"]
"""


def checkpointed(model, segments):
    return _Segments(model, segments).requires_grad_()
