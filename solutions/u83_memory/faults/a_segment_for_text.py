"""Falls back to a small segment for what it cannot read.

check = "8.3.c/no_segment_for_no_count"
stage = "numpy"
says = "Something that is no count of bytes got a segment. Look at the argument before you compare it with anything."
"""

_strict_segment_size = segment_size


def segment_size(nbytes):
    try:
        return _strict_segment_size(nbytes)
    except ValueError:
        return 2 * MIB
