"""Leaves its function where np.seterrcall put it."""


def classify(op, inputs):
    raised = set()
    np.seterrcall(lambda kind, _: raised.add(kind))
    with np.errstate(all="call"):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
