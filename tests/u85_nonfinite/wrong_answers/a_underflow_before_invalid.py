"""Asks for an underflow before it asks for an invalid operation, in the order of NumPy's list."""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    if "divide by zero" in raised:
        return "divide"
    if {"underflow", "invalid value"} <= raised and "overflow" not in raised:
        return "underflow"
    for flag, kind in (("invalid value", "invalid"), ("overflow", "overflow")):
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
