"""Leaves underflow as NumPy sets it by default: ignored.

check = "8.5.a/underflow_is_noticed"
stage = "numpy"
says = "NumPy ignores underflow unless it is asked. np.errstate has a setting for each kind."
"""


def classify(op, inputs):
    raised = set()
    with np.errstate(
        divide="call", over="call", invalid="call", call=lambda kind, _: raised.add(kind)
    ):
        result = op(*inputs)
    for flag, kind in (("divide by zero", "divide"), ("invalid value", "invalid"),
                       ("overflow", "overflow")):  # fmt: skip
        if flag in raised:
            return kind
    if not np.all(np.isfinite(result)):
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"
