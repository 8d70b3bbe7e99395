"""Looks at the inputs first, and calls whatever follows from a bad one propagated.

check = "8.5.a/kinds_in_their_order"
stage = "numpy"
says = "One entry that was passed on does not excuse another one that was made here. Look at the flags first, at the values last."
"""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    if not np.all(np.isfinite(result)) and any(np.any(np.isnan(x)) for x in inputs):
        return "propagated"
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
