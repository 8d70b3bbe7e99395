"""Runs the function a second time to make sure.

check = "8.1.i/sound_backwards_are_ok"
stage = "torch"
says = "The function was run twice. A backward is no question: it changes gradients, and its second run may fail where the first did not."
"""

_single_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    answer = _single_diagnose_backward(fn)
    return _single_diagnose_backward(fn) if answer["kind"] == "ok" else answer
