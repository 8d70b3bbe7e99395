"""Keeps every array, as a view."""


def chain_forward(layers, x, segments, rng):
    kept, boundaries = [], []
    for start, end in segment_spans(len(layers), segments):
        boundaries.append((start, end, x, rng.bit_generator.state))
        for layer in layers[start:end]:
            kept.append(x.view())
            x, _ = layer.forward(x, rng)
    boundaries[0] = boundaries[0] + (kept,)
    return x, boundaries
