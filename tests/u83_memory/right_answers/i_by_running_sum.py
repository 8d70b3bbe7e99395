"""Plays the forward, tensor by tensor."""


def inference_peak(widths, batch):
    rows = _count(batch, "the batch", least=1)
    sizes = [4 * rows * _count(n, "a width", least=1) for n in widths]
    if len(sizes) < 2:
        raise ValueError(widths)
    live = peak = before = 0
    for number, size in enumerate(sizes[1:], 2):
        live += size
        peak = max(peak, live)
        live -= before
        if number < len(sizes):
            peak = max(peak, live + size)
        before = size
    return {"after": live, "peak": peak}
