"""Takes every error that mentions grad for a missing graph."""

_original = diagnose_backward


def diagnose_backward(fn):
    try:
        return _original(fn)
    except RuntimeError as error:
        if "grad" in str(error):
            return {"kind": "no_graph", "node": None, "expected": None, "found": None}
        raise
