"""Reports the mean as p50.

check = "8.9.b/warmup_left_out"
stage = "numpy"
says = "This is the mean: one slow step moves it. The median of the steps is what a usual step takes, and p90 shows the slow ones."
# the checks of many cases have this one among them
also = ["8.9.b/every_loop"]
"""

_percentiles_by_rank = _percentiles


def _percentiles(values):
    return {**_percentiles_by_rank(values), "p50": float(np.mean(values))}
