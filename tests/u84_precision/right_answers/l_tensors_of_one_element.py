"""Returns tensors of one element."""

_true = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _true(gradients, dtype, scale, tolerance)
    return {name: value if name == "needed" else torch.tensor(value, dtype=torch.float64)
            for name, value in found.items()}
