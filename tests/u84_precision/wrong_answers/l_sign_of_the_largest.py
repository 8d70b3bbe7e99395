"""Takes the largest entry without its magnitude."""

_true = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _true(gradients, dtype, scale, tolerance)
    tops = [float(g.max()) for g in gradients.values() if g is not None and g.numel()]
    top = max(tops, default=0.0)
    if top > 0:
        found["largest_scale"] = 2.0 ** math.floor(math.log2(torch.finfo(dtype).max / top))
    return found
