"""Counts the weights module by module.

check = "8.3.m/tied_weights_once"
stage = "torch"
says = "A weight that two modules share was counted twice. Go by storages: which bytes are there?"
"""


def _sum_of_modules(model):
    return sum(
        parameter.untyped_storage().nbytes()
        for module in model.modules()
        for parameter in module.parameters(recurse=False)
    )


_once_state_bytes = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _once_state_bytes(model, optimizer, batch)
    parameters = _sum_of_modules(model)
    more = parameters - found["parameters"]
    return {**found, "parameters": parameters, "total": found["total"] + more}
