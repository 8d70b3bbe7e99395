"""Reads units without regard to the case of letters.

check = "8.3.a/what_is_no_size"
stage = "numpy"
says = "A unit in other letters was read all the same: Mb are bits, and KB may be 1000 or 1024 bytes. Refuse what is not written exactly."
"""

_strict_to_bytes = to_bytes


def to_bytes(size):
    if isinstance(size, str):
        by_letters = {unit.casefold(): unit for unit in UNITS}
        for letters in sorted(by_letters, key=len, reverse=True):
            if size.casefold().rstrip().endswith(letters):
                size = size.rstrip()[: -len(letters)] + by_letters[letters]
                break
    return _strict_to_bytes(size)
