"""Rounds the logarithm of the largest scale.

check = "8.4.l/ends_of_the_half_formats"
stage = "torch"
says = "With this scale the largest entry overflows, or a larger one would fit: the power of two must be the last one under the limit, not the nearest."
also = ["8.4.l/shares_of_lost_entries", "8.4.l/share_that_a_float16_run_loses"]
"""

_last_power = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _last_power(gradients, dtype, scale, tolerance)
    top = max(
        (float(g.abs().max()) for g in gradients.values() if g is not None and g.numel()), default=0
    )
    if top:
        found["largest_scale"] = 2.0 ** round(math.log2(torch.finfo(dtype).max / top))
    return found
