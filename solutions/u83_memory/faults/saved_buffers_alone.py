"""Counts the buffers of the state_dict alone.

check = "8.3.m/each_storage_to_its_first_owner"
stage = "torch"
says = "A buffer that is not saved was left out. It is on the device all the same: a causal mask is often one."
"""

_every_state_bytes = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _every_state_bytes(model, optimizer, batch)
    saved = {tensor.untyped_storage()._cdata for tensor in model.state_dict().values()}
    lost = sum(b.nbytes for b in model.buffers() if b.untyped_storage()._cdata not in saved)
    return {**found, "buffers": found["buffers"] - lost, "total": found["total"] - lost}
