"""Runs the operation once more outside its error state.

check = "8.5.a/flags_without_a_warning"
stage = "numpy"
says = "The operation runs where its flags are shown as warnings, or raised. Run it once, inside np.errstate."
"""


def classify(op, inputs):
    raised = set()
    with np.errstate(all="call", call=lambda kind, _: raised.add(kind)):
        result = op(*inputs)
    result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
