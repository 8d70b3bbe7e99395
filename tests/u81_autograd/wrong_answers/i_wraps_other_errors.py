"""Raises other errors again in its own words."""

_original = diagnose_backward


def diagnose_backward(fn):
    try:
        return _original(fn)
    except RuntimeError as error:
        raise RuntimeError(f"not one of the four: {error}") from error
