"""Counts what a view shows instead of what it holds.

check = "8.3.m/views_hold_their_storage"
stage = "torch"
says = "This is what the sizes of the views give. A view holds its whole storage: one row that is kept keeps the table."
source = "pytorch/pytorch#3394"
"""

_holding_state_bytes = state_bytes


def state_bytes(model, optimizer=None, batch=()):
    found = _holding_state_bytes(model, optimizer)
    seen, size = set(), 0
    for leaf in tree_leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.untyped_storage()._cdata not in seen:
            seen.add(leaf.untyped_storage()._cdata)
            size += leaf.nbytes
    own = {p.untyped_storage()._cdata for p in [*model.parameters(), *model.buffers()]}
    if seen & own:
        return _holding_state_bytes(model, optimizer, batch)
    return {**found, "batch": size, "total": found["total"] + size}
