"""Exchanges the version at saving with the one found.

check = "8.1.i/versions_as_evidence"
stage = "torch"
says = "expected and found are exchanged. A version only grows: the one at saving is the smaller."
"""

_straight_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    answer = _straight_diagnose_backward(fn)
    return {**answer, "expected": answer["found"], "found": answer["expected"]}
