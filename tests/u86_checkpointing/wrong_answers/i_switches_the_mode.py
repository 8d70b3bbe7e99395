"""Switches the model to training mode for its step."""

_as_it_is = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    return _as_it_is(model.train(), x, segments, meter, early_stop)
