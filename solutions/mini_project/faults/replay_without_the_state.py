"""Runs the captured batch with the weights that are there.

check = "mini-project.f/a_capture_is_replayed"
stage = "torch"
says = "Nothing invalid comes out of the batch alone. Load the captured state first."
"""


def replay(capture, trainer):
    return _first_invalid(trainer, capture["batch"], trainer.forward)
