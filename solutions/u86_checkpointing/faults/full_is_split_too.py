"""Splits the kept input over the devices under full recomputation.

check = "8.6.g/what_a_layer_keeps"
stage = "numpy"
says = "Under full recomputation the input of the layer is kept whole on each device: 2 s b h, whatever is run in parallel."
"""

_whole_input = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    size = _whole_input(s, b, h, a, recompute, t, sequence_parallel)
    return size / t if recompute == "full" and sequence_parallel else size
