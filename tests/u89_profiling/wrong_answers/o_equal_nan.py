"""Takes NaN on both sides for equal."""

_strict = _agree


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    if old.shape == new.shape and old.isnan().equal(new.isnan()):
        old, new = old.nan_to_num(), new.nan_to_num()
    return _strict(old, new, rtol)
