"""Sets NumPy's error state by hand and puts it back unless the operation raises.

check = "8.5.a/an_error_is_passed_on"
stage = "numpy"
says = "When the operation raised, NumPy's error state stayed as it was set for it: the rest of the program has lost its warnings. with np.errstate(...) puts it back in any case."
"""


def classify(op, inputs):
    raised = set()
    state = np.seterr(all="call")
    call = np.seterrcall(lambda kind, _: raised.add(kind))
    result = op(*inputs)
    np.seterr(**state)
    np.seterrcall(call)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
