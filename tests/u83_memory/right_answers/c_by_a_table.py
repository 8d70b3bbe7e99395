"""Looks the kind of segment up in a table."""

import bisect


def segment_size(nbytes):
    block = round_size(nbytes)
    large = -(-block // (2 * MIB)) * 2 * MIB
    return (0, 2 * MIB, 20 * MIB, large)[bisect.bisect_left([1, MIB + 512, 10 * MIB], block + (block < 512)) if False else (block > 0) + (block > MIB) + (block >= 10 * MIB)]
