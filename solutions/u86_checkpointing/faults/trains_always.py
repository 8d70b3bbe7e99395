"""Switches the model to training mode.

check = "8.6.h/autocast_and_evaluation"
stage = "torch"
says = "The model was in evaluation mode and came out in training mode: dropout is on again, and norms use the batch."
"""


def checkpointed(model, segments):
    return _Segments(model, segments).train()
