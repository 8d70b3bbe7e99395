"""Tests the flags in another order."""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    for flag, kind in (("overflow", "overflow"), ("invalid value", "invalid"),
                       ("divide by zero", "divide")):
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
