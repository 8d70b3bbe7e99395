"""Counts the idle time of the copying stream."""

_plain = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    result = _plain(n, copy, compute, buffers)
    return {**result, "idle": result["overlapped"] - sum(_each(n, copy))}
