"""Keeps the saved tensors in a list.

check = "8.1.g/nothing_is_kept_alive"
stage = "torch"
says = "Saved tensors are alive although their graph is gone: a list or dict of the report still holds them. Keep numbers, not tensors."
"""

_KEPT_TENSORS = []

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        _KEPT_TENSORS.append(tensor.detach())
        return pack(tensor)

    def restore(unpack, packed):
        return unpack(packed)

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
