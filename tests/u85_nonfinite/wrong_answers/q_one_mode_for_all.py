"""Puts the mode of the whole model back, and not that of each module."""

_each = post_mortem


def post_mortem(model, batch, loss_fn):
    report = _each(model, batch, loss_fn)
    model.train(model.training)
    return report
