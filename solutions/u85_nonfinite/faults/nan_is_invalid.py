"""Calls every NaN in a result an invalid operation.

check = "8.5.a/passed_on_is_not_born"
stage = "numpy"
says = "A NaN that came in goes out without a flag: this operation passed it on and did not make it."
also = ["8.5.a/kinds_in_their_order"]
"""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "invalid" if np.any(np.isnan(result)) else "propagated"
    return "underflow" if "underflow" in raised else "fine"
