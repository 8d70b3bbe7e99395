"""Gives NumPy numbers and tuples."""


import numpy as np

_plain_mortem = post_mortem


def post_mortem(model, batch, loss_fn):
    report = _plain_mortem(model, batch, loss_fn)
    numbers = {name: np.int64(n) for name, n in report["numbers"].items()}
    return {**report, "numbers": numbers, "rejected": tuple(report["rejected"])}
