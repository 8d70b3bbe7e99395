"""Calls every other RuntimeError a freed graph.

check = "8.1.i/other_errors_pass_through"
stage = "torch"
says = "An error that has nothing to do with saved tensors got one of the four names. What you do not recognise must come out as it is."
"""

_selective_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    try:
        return _selective_diagnose_backward(fn)
    except RuntimeError:
        return {"kind": "freed", "node": None, "expected": None, "found": None}
