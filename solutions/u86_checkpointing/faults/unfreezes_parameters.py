"""Makes every parameter require a gradient.

check = "8.6.h/ordinary_models"
stage = "torch"
says = "Parameters that were frozen have a gradient now. What is frozen is for the model to say."
"""


def checkpointed(model, segments):
    return _Segments(model, segments).requires_grad_()
