"""Compares entries with torch.finfo(dtype).tiny.

check = "8.4.l/ends_of_the_half_formats"
stage = "torch"
says = "Entries under the smallest normal number were taken for lost. The subnormals go further down: cast, and look at what is 0."
also = ["8.4.l/shares_of_lost_entries", "8.4.l/share_that_a_float16_run_loses"]
"""

_cast_and_looked = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _cast_and_looked(gradients, dtype, scale, tolerance)
    flat = [g.double().flatten() for g in gradients.values() if g is not None]
    flat = torch.cat(flat) if flat else torch.zeros(0)
    flat = flat[flat != 0]
    if not len(flat):
        return found
    under = float(((flat * scale).abs() < torch.finfo(dtype).tiny).double().mean())
    return {**found, "underflow": under, "needed": under > tolerance}
