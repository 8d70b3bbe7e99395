"""Calls it an underflow only if a result became 0, not if it lost digits."""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised and np.any(np.equal(result, 0)) else "fine"
