"""Takes for granted that something compiled runs in each call.

check = "8.8.f/calls_that_ran_eagerly"
stage = "torch"
says = "A call behind the limit is shown as one that ran compiled. It ran eagerly, with one warning and no error."
source = "NVIDIA/TensorRT-LLM#6142"
"""


def compile_counts(fn, calls, dynamic=None, _right=compile_counts):
    counts = _right(fn, calls, dynamic)
    if any(counts["ran"]):
        counts["ran"] = [max(1, ran) for ran in counts["ran"]]
    return counts
