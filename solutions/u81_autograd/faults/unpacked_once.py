"""Gives up what was packed when it is unpacked.

check = "8.1.g/results_stay_the_same_bits"
stage = "torch"
says = "What was saved was handed out once and then dropped. A graph that is kept is gone through again, and asks again."
"""

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        return [pack(tensor)]

    def restore(unpack, packed):
        return unpack(packed.pop())

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
