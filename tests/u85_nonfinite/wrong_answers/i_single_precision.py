"""Looks at gradients in float32, where a large float64 is infinite."""


def _dense(gradient):
    return (gradient.coalesce().values() if gradient.is_sparse else gradient).float()
