"""Every segment is as long as n / k rounded up, and the last takes what is left."""


def segment_spans(n, segments):
    if not 1 <= segments <= n:
        raise ValueError("cut")
    length = -(-n // segments)
    return [(a, min(a + length, n)) for a in range(0, n, length)]
