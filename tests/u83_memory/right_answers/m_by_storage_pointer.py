"""Tells storages apart by their address; those without bytes have none."""

def state_bytes(model, optimizer=None, batch=()):
    owners = {}
    for name, leaves in (
        ("parameters", list(model.parameters())),
        ("buffers", list(model.buffers())),
        ("gradients", [p.grad for p in model.parameters()]),
        ("optimizer", tree_leaves(list(optimizer.state.values())) if optimizer else []),
        ("batch", tree_leaves(batch)),
    ):
        for leaf in leaves:
            if isinstance(leaf, torch.Tensor):
                storage = leaf.untyped_storage()
                owners.setdefault(storage.data_ptr(), (name, storage.nbytes()))
    names = ("parameters", "buffers", "gradients", "optimizer", "batch")
    sizes = {n: sum(size for owner, size in owners.values() if owner == n) for n in names}
    return {**sizes, "total": sum(sizes.values())}
