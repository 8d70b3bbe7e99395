"""Tells tensors apart by data_ptr(), which is that of the view."""

def state_bytes(model, optimizer=None, batch=()):
    parameters = list(model.parameters())
    parts = {
        "parameters": parameters,
        "buffers": list(model.buffers()),
        "gradients": [p.grad for p in parameters],
        "optimizer": [] if optimizer is None else tree_leaves(list(optimizer.state.values())),
        "batch": tree_leaves(batch),
    }
    known, sizes = set(), {}
    for name, leaves in parts.items():
        sizes[name] = 0
        for leaf in leaves:
            if isinstance(leaf, torch.Tensor) and leaf.data_ptr() not in known:
                known.add(leaf.data_ptr())
                sizes[name] += leaf.untyped_storage().nbytes()
    return {**sizes, "total": sum(sizes.values())}
