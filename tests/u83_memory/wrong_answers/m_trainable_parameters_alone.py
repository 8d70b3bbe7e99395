"""Leaves frozen parameters out."""

_l_all = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _l_all(model, optimizer, batch)
    frozen = sum(p.nbytes for p in model.parameters() if not p.requires_grad)
    return {**found, "parameters": found["parameters"] - frozen, "total": found["total"] - frozen}
