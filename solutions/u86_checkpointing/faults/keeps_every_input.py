"""Keeps the input of every layer.

check = "8.6.c/only_inputs_of_segments_are_kept"
stage = "numpy"
says = "All arrays between the layers are still in memory after the forward. Only the inputs of segments are to stay."
"""

_without_kept = chain_backward


def chain_forward(layers, x, segments, rng):
    boundaries, kept = [], []
    for start, end in segment_spans(len(layers), segments):
        boundaries.append((start, end, x, rng.bit_generator.state, kept))
        for layer in layers[start:end]:
            kept.append(x)
            x, _ = layer.forward(x, rng)
    return x, boundaries


def chain_backward(layers, boundaries, grad, rng):
    return _without_kept(layers, [entry[:4] for entry in boundaries], grad, rng)
