"""Runs the operation once for each flag, with NumPy raising."""


def classify(op, inputs):
    def raises(**flag):
        try:
            with np.errstate(**{"divide": "ignore", "over": "ignore", "under": "ignore",
                                "invalid": "ignore"} | flag):
                op(*inputs)
        except FloatingPointError:
            return True
        return False

    for kind, flag in (("divide", "divide"), ("invalid", "invalid"), ("overflow", "over")):
        if raises(**{flag: "raise"}):
            return np.str_(kind)
    with np.errstate(all="ignore"):
        fine = np.isfinite(op(*inputs)).all()
    return "propagated" if not fine else "underflow" if raises(under="raise") else "fine"
