"""Calls an operation an underflow although it passes a NaN on."""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if "underflow" in raised:
        return "underflow"
    return "fine" if np.all(np.isfinite(result)) else "propagated"
