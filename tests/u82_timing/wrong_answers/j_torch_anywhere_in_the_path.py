"""Passes over every frame whose path has torch in it, such as /home/me/torch_course/step.py."""


def _own_line(frame):
    while frame.f_back is not None and "torch" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame.f_lineno
