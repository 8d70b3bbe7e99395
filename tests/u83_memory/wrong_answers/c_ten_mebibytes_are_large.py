"""Gives a block of exactly 10 MiB a segment of 20 MiB."""

_c_exact = segment_size


def segment_size(nbytes):
    return 20 * MIB if round_size(nbytes) == 10 * MIB else _c_exact(nbytes)
