"""Counts the data, which were alive before."""

_i_data = inference_peak


def inference_peak(widths, batch):
    found = _i_data(widths, batch)
    return {**found, "peak": max(found["peak"], 4 * batch * (widths[0] + widths[1]))}
