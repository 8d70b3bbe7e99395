"""Leaves tensors without dimensions out.

check = "8.3.m/a_model_after_a_step"
stage = "torch"
says = "The step counters are missing: tensors without dimensions have bytes, too."
also = ["8.3.m/states_of_other_optimizers", "8.3.p/closed_book"]
"""

_all_state_bytes = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _all_state_bytes(model, optimizer, batch)
    states = [] if optimizer is None else tree_leaves(list(optimizer.state.values()))
    lost = sum(t.nbytes for t in states if isinstance(t, torch.Tensor) and t.dim() == 0)
    return {**found, "optimizer": found["optimizer"] - lost, "total": found["total"] - lost}
