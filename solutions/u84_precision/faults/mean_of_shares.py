"""Averages the shares of the parameters.

check = "8.4.l/shares_of_lost_entries"
stage = "torch"
says = "This is the mean of the parameters' shares. A bias of ten entries must not count like a matrix of a million: take all entries together."
also = ["8.4.l/nothing_to_lose", "8.4.l/share_that_a_float16_run_loses"]
"""

_all_together = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _all_together(gradients, dtype, scale, tolerance)
    each = [_all_together({n: g}, dtype, scale, tolerance) for n, g in gradients.items()]
    each = [one for one in each if one["nonzero"]]
    if not each:
        return found
    under = sum(one["underflow"] for one in each) / len(each)
    over = sum(one["overflow"] for one in each) / len(each)
    return {**found, "underflow": under, "overflow": over, "needed": under > tolerance}
