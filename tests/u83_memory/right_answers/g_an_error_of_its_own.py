"""Raises a subclass of ValueError."""

_rg = transformer_activation_bytes


class CannotSplit(ValueError):
    pass


def transformer_activation_bytes(*sizes, **named):
    try:
        return _rg(*sizes, **named)
    except ValueError as error:
        raise CannotSplit(str(error)) from error
