"""Numbers the floating-point tensors of an output alone."""

_tensors_of_all = _tensors


def _tensors(value):
    for tensor in _tensors_of_all(value):
        if tensor.is_floating_point():
            yield tensor
