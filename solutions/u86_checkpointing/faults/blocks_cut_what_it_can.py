"""Makes as many segments as there are blocks when more are asked for.

check = "8.6.h/models_that_cannot_be_cut"
stage = "torch"
says = "A number of segments that cannot be was bent into one that can. Raise ValueError when the module is made."
"""


def checkpointed(model, segments):
    return _Segments(model, max(1, min(segments, len(model)))) if len(model) else model
