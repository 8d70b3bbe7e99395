"""Decides about the segment before rounding.

check = "8.3.c/the_rounded_request_decides"
stage = "numpy"
says = "This is what the request gives before it is rounded: 10 MiB less one byte is a block of 10 MiB, and gets a segment of its own size."
"""


def segment_size(nbytes):
    round_size(nbytes)
    if nbytes == 0:
        return 0
    if nbytes <= MIB:
        return 2 * MIB
    if nbytes < 10 * MIB:
        return 20 * MIB
    return -(-int(nbytes) // (2 * MIB)) * 2 * MIB
