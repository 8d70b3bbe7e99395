"""Looks at a ufunc's number of arguments, which a function made of one does not have."""

_of_anything = classify


def classify(op, inputs):
    return _of_anything(op, inputs[: op.nin])
