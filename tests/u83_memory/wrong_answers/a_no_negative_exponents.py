"""Reads an exponent as digits alone, so that 1e-3 MB is refused."""

_a_signed = to_bytes


def to_bytes(size):
    if isinstance(size, str) and re.search(r"[eE][+-]", size):
        raise ValueError(f"{size!r} is not a size")
    return _a_signed(size)
