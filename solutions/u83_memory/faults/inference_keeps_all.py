"""Keeps every output in inference mode.

check = "8.3.i/live_inference"
stage = "numpy"
also = ["8.3.i/neighbours_alone_are_alive"]
says = "This is what keeping every layer's output gives. In inference mode a layer's output goes as soon as the next one has made its own."
"""


def inference_peak(widths, batch):
    if len(widths) < 2 or batch < 1 or min(widths) < 1 or isinstance(batch, float):
        raise ValueError(widths)
    outs = [4 * batch * n for n in widths[1:]]
    return {"peak": sum(outs) + max(outs[:-1], default=0), "after": outs[-1]}
