"""Starts a copy at the start of the computation before it at the earliest."""

_plain = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    result = _plain(n, copy, compute, buffers)
    copies, computes = _each(n, copy), _each(n, compute)
    copied = ended = started = 0
    for number in range(n):
        copied = max(copied, started if number else 0) + copies[number]
        started = max(copied, ended)
        ended = started + computes[number]
    return {**result, "overlapped": ended, "idle": ended - sum(computes),
            "speedup": result["serial"] / ended if ended else 1.0}
