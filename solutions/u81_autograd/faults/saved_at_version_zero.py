"""Takes the version at saving for 0.

check = "8.1.i/versions_as_evidence"
stage = "torch"
says = "The version at saving was taken for 0. A tensor may have been edited before it was saved, which is allowed."
"""

_read_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    answer = _read_diagnose_backward(fn)
    return {**answer, "expected": 0} if answer["kind"] == "version" else answer
