"""Takes any number for a count of bytes.

check = "8.3.b/no_half_bytes"
stage = "numpy"
says = "Something that is no count of bytes got a block. A float comes from a division that should have been exact: refuse it."
also = ["8.3.c/no_segment_for_no_count", "8.3.d/handles_and_counts"]
"""


def round_size(nbytes):
    if not nbytes >= 0 or nbytes == math.inf:
        raise ValueError(nbytes)
    return -(-int(nbytes) // 512) * 512
