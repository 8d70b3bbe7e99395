"""Rounds requests to 256 bytes.

check = "8.3.b/blocks_of_512"
stage = "numpy"
says = "This is what rounding to 256 B gives: cudaMalloc aligns to 256, the caching allocator's blocks are multiples of 512."
also = ["8.3.c/the_rounded_request_decides", "8.3.d/requested_allocated_reserved", "8.3.d/blocks_are_split", "8.3.d/any_sequence_of_requests", "8.3.d/handles_and_counts"]
"""

_true_round_size = round_size


def round_size(nbytes):
    _true_round_size(nbytes)
    return -(-int(nbytes) // 256) * 256
