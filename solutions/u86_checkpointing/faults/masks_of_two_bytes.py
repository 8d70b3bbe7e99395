"""Counts the dropout mask of the scores with 2 bytes.

check = "8.6.g/published_layers"
stage = "numpy"
says = "The dropout mask of the scores has 1 byte an element, not 2: softmax 2, mask 1, result of the dropout 2."
# the same result is looked at there
also = [
  "8.6.g/what_a_layer_keeps",
]
"""

_small_masks = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    size = _small_masks(s, b, h, a, recompute, t, sequence_parallel)
    return size + (a * s * s * b / t if recompute == "none" else 0)
