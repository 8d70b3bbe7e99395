"""Reports on the plain model when it cannot be cut.

check = "8.6.i/reports_that_cannot_be"
stage = "torch"
says = "The report of another model was given for a number of segments that cannot be."
"""

_cutting_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    possible = segments is not None and 1 <= segments <= len(model)
    return _cutting_report(model, x, segments if possible else None, meter, early_stop)
