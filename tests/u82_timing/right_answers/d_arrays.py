"""Works with arrays and gives zero-dimensional ones."""

_plain = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    return {key: np.array(value) for key, value in _plain(n, copy, compute, buffers).items()}
