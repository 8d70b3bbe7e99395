"""Lets a node own its own output.

check = "8.1.g/nothing_is_kept_alive"
stage = "torch"
says = "pack returns the very tensor it was handed. An output then owns its node, and the node its output: a ring that nothing frees. Return tensor.detach()."
"""

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        pack(tensor)
        return tensor, tensor._version

    def restore(unpack, packed):
        return unpack(packed)

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
