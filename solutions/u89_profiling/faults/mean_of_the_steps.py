"""Reports the mean of the steps as p50.

check = "8.9.k/only_active_steps_count"
stage = "torch"
says = "This is the mean of the steps, which one slow step moves. p50 is what a usual step takes."
"""

_median_table = _table


def _table(samples):
    table = _median_table(samples)
    for name, row in table["rows"].items():
        values = [
            sample["train_step"] - sum(sample[phase] for phase in PHASES[1:])
            if name == "residual"
            else sample[name]
            for sample in samples
        ]
        row["p50"] = sum(values) / len(values)
    return table
