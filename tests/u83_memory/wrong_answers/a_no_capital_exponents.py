"""Knows the small letter of an exponent alone."""

_a_lettered = to_bytes


def to_bytes(size):
    if isinstance(size, str) and re.search(r"\dE", size):
        raise ValueError(f"{size!r} is not a size")
    return _a_lettered(size)
