"""Keeps what is saved in float32 or less.

check = "8.1.g/results_stay_the_same_bits"
stage = "torch"
says = "Gradients are other numbers than without the report: what was unpacked is not what was packed. The hooks must hand back the same bits."
also = [
  "8.1.g/nothing_is_kept_alive",
]
"""

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        packed, version = pack(tensor)
        if tensor.dtype == torch.float64:
            return packed.float(), None
        return packed, version

    def restore(unpack, packed):
        tensor, version = packed
        return tensor.double() if version is None else unpack(packed)

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
