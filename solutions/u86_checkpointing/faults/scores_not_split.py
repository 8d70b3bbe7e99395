"""Keeps the scores whole on each device.

check = "8.6.g/published_layers"
stage = "numpy"
says = "Tensor parallelism gives each device some of the heads, and with them their part of the scores."
# the same result is looked at there
also = [
  "8.6.g/what_a_layer_keeps",
]
"""

_split_scores = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    size = _split_scores(s, b, h, a, recompute, t, sequence_parallel)
    return size + (5 * a * s * s * b * (1 - 1 / t) if recompute == "none" else 0)
