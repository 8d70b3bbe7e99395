"""Gives an underflow beside an infinity that went in as one that was passed on."""

_by_flags = classify


def classify(op, inputs):
    kind = _by_flags(op, inputs)
    if kind == "underflow" and any(not np.isfinite(np.asarray(i)).all() for i in inputs):
        return "propagated"
    return kind
