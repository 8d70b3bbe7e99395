"""Reports zeros of a meter that measured nothing.

check = "8.3.l/what_was_not_measured"
stage = "torch"
says = "A meter that showed nothing but zeros was believed. Whoever reads the report will conclude that the step needs no memory."
"""

_refusing = _refuse_unmeasured


def _refuse_unmeasured(seen):
    if any(value for phase in seen.values() for value in phase.values()):
        _refusing(seen)
