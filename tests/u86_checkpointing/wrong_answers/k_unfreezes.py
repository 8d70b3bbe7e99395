"""Makes every parameter require a gradient."""


def selective(model, segments):
    return _Segments(model, segments, keep=_keep_products).requires_grad_()
