"""Looks for exp_avg and exp_avg_sq in the state.

check = "8.3.m/states_of_other_optimizers"
stage = "torch"
says = "Tensors under other names in the optimizer's state were left out. Take every tensor that is there."
"""

_nameless_state_bytes = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _nameless_state_bytes(model, None, batch)
    names = ("exp_avg", "exp_avg_sq", "step")
    states = [] if optimizer is None else optimizer.state.values()
    size = sum(state[name].nbytes for state in states for name in names if name in state)
    return {**found, "optimizer": size, "total": found["total"] + size}
