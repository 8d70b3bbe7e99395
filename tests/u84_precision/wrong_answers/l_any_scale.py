"""Takes a scale of 0 and negative ones."""

_l_positive = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    return _l_positive(gradients, dtype, scale if scale > 0 else 1.0, tolerance)
