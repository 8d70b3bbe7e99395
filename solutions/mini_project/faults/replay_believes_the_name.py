"""Returns the name that stands in the capture.

check = "mini-project.f/a_capture_is_replayed"
stage = "torch"
says = "This is the name in the capture. Make the step again and look."
"""


def replay(capture, trainer):
    return capture["module"]
