"""Divides by all entries, the zeros among them.

check = "8.4.l/shares_of_lost_entries"
stage = "torch"
says = "The shares are of all entries. What was 0 before has nothing to lose: leave it out."
also = ["8.4.l/share_that_a_float16_run_loses"]
"""

_of_the_nonzero = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _of_the_nonzero(gradients, dtype, scale, tolerance)
    entries = sum(g.numel() for g in gradients.values() if g is not None)
    part = found["nonzero"] / entries if entries else 0.0
    under = found["underflow"] * part
    return {
        **found,
        "underflow": under,
        "overflow": found["overflow"] * part,
        "needed": under > tolerance,
    }
