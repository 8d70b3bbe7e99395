"""Switches the model to training mode.

check = "8.6.h/autocast_and_evaluation"
stage = "torch"
says = "The model was in evaluation mode and came out in training mode: dropout is on again, and norms use the batch."
# dropout is on, and its masks are part of the peak
also = ["8.6.h/only_inputs_of_segments_stay"]
"""


def checkpointed(model, segments):
    return _Segments(model, segments).train()
