"""Tells the kinds by the result: every infinity is an overflow.

check = "8.5.a/born_here_by_the_flag"
stage = "numpy"
says = "An exact infinity and a result that was too large look the same afterwards. The flag of the processor tells them apart."
also = ["8.5.a/kinds_in_their_order", "8.5.a/flags_without_a_warning"]
"""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    if "divide by zero" in raised:
        raised = raised - {"divide by zero"} | {"overflow"}
    for flag, kind in (("invalid value", "invalid"), ("overflow", "overflow")):
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
