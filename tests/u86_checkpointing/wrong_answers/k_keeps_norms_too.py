"""Keeps whatever is expensive by name, and the results of the norms with it."""


def _keep_most(context, operation, *arguments, **named):
    if operation in _PRODUCTS or "norm" in str(operation):
        return CheckpointPolicy.MUST_SAVE
    return CheckpointPolicy.PREFER_RECOMPUTE


def selective(model, segments):
    return _Segments(model, segments, keep=_keep_most)
