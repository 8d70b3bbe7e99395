"""Tells storages apart by their address while they live, which is 0 for every empty one."""

def _storage_key(tensor):
    return tensor.untyped_storage().data_ptr()
