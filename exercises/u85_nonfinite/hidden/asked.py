"""What the check files of unit 8.5 share: bad values, and watched calls of the NumPy stage."""

from __future__ import annotations

import math

import numpy as np

INF, NAN = math.inf, math.nan
F16, F32, F64 = np.float16, np.float32, np.float64
BAD = (("nan", NAN), ("+inf", INF), ("-inf", -INF))
"""Kind and value of each."""
ROW = {"row": "fault_repair"}


def answered(student, expect, function, calls):
    """Make calls of one function; each must answer, and leave arguments and NumPy as they were."""
    found = student.run("numeric", {"function": function, "calls": calls})
    fine = isinstance(found, list) and len(found) == len(calls)
    expect.that(fine and all(isinstance(a, dict) for a in found), "The calls gave no answers.")
    for answer in found:
        raised = answer.get("raised")
        seen = None if raised is None else f"{raised[0]}: {answer.get('message')}"
        expect.that(raised is None, f"{function} raised an error.", seen)
        changed = f"{function} left np.geterr() or np.geterrcall() changed."
        expect.that(answer.get("state") is True, changed)
        expect.that(answer.get("kept") is True, f"{function} changed its arguments.")
    return found


def unwarned(expect, function, answers, why):
    """Expect that no call warned."""
    warned = [text for answer in answers for text in answer.get("warned", [])]
    expect.that(not warned, f"{function} warns {why}.", warned[0] if warned else None)


def refuses(student, expect, function, args, why):
    """Expect a call to raise ValueError."""
    found = student.run("numeric", {"function": function, "calls": [{"args": args}]})
    raised = found[0].get("raised") if isinstance(found, list) and found else None
    refused = isinstance(raised, list) and "ValueError" in raised
    expect.that(refused, f"{function} must raise ValueError {why}.")


def laid(array, how):
    """Return an argument that the probe lays out in memory another way."""
    return {"array": array, "layout": how}


def of_dtype(expect, value, dtype, what):
    """Expect an array of a dtype."""
    seen = value.dtype if isinstance(value, np.ndarray) else None
    expect.that(seen == dtype, f"{what} should be an array of {np.dtype(dtype)}.", str(seen))


def tolerance(dtype):
    """Return rtol and atol: a few rounding errors, and the smallest step of the dtype.

    A shifted score is off by half a rounding error of its size, and its exponential by as many
    rounding errors as that size; beyond the logarithm of the smallest number the exponential is 0
    whatever the shift. The sum, the quotient and the functions add a few.
    """
    info = np.finfo(dtype)
    shift = -math.log(float(info.smallest_subnormal))
    return {"rtol": (24 + shift) * float(info.eps), "atol": float(info.smallest_subnormal)}
