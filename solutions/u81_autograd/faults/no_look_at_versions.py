"""Does not compare versions when unpacking.

check = "8.1.g/edits_in_place_are_refused"
stage = "torch"
says = "A tensor that was edited after it was saved went into the backward, and the gradient is wrong without a word. With hooks, the comparison of versions is yours."
"""

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        return pack(tensor)[0]

    def restore(unpack, packed):
        return packed

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
