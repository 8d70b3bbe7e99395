"""Calls a bad result propagated only if the input was infinite, and invalid if it was NaN."""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated" if not np.any(np.isnan(result)) else "invalid"
    return "underflow" if "underflow" in raised else "fine"
