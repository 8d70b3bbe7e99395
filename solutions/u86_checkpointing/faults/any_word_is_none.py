"""Takes an unknown word for no recomputation.

check = "8.6.g/layers_that_cannot_be"
stage = "numpy"
says = "An unknown word went through as if nothing were run again."
"""

_known_words = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    word = recompute if recompute in ("selective", "full") else "none"
    return _known_words(s, b, h, a, word, t, sequence_parallel)
