"""Counts NaN alone.

check = "8.5.k/counts_by_name"
stage = "torch"
says = "An infinite entry is bad, too. Use isfinite."
also = ["8.5.k/exactly_one_wait", "8.5.k/one_wait_on_a_device", "8.5.k/not_measured_is_not_zero", "8.5.l/one_bad_entry_spoils_nothing", "8.5.q/cause_of_a_step", "8.5.q/suspects_are_rejected_by_their_number", "8.5.q/buffers_are_suspects", "8.5.q/step_left_as_it_was"]
"""


def nonfinite_counts(tensors):
    there = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    counts = {}
    if there:
        found = torch.stack([t.isnan().sum() for t in there.values()]).tolist()
        counts = dict(zip(there, found, strict=True))
    return {name: counts.get(name) for name in tensors}
