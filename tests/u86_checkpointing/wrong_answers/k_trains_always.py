"""Switches the model to training mode."""


def selective(model, segments):
    return _Segments(model, segments, keep=_keep_products).train()
