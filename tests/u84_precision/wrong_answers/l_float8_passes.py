"""Refuses gradients in float16 and bfloat16, and takes those in float8."""

_l_wide_alone = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    wide = {
        name: gradient.float() if gradient is not None and gradient.element_size() == 1 else gradient
        for name, gradient in gradients.items()
    }
    return _l_wide_alone(wide, dtype, scale, tolerance)
