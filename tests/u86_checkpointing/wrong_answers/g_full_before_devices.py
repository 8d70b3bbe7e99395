"""With full recomputation, never looks at the number of devices."""

_any_recompute = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    if recompute == "full":
        t = 1
    return _any_recompute(s, b, h, a, recompute, t, sequence_parallel)
