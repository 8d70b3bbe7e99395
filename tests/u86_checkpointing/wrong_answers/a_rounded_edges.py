"""Edges are rounded: nearly equal, but the longer segments are spread."""


def segment_spans(n, segments):
    if not 1 <= segments <= n:
        raise ValueError("cut")
    edges = [i * n // segments for i in range(segments + 1)]
    return list(zip(edges[:-1], edges[1:], strict=True))
