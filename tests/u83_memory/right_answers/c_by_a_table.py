"""Looks the kind of segment up in a table."""


def segment_size(nbytes):
    block = round_size(nbytes)
    large = -(-block // (2 * MIB)) * 2 * MIB
    kind = (block > 0) + (block > MIB) + (block >= 10 * MIB)
    return (0, 2 * MIB, 20 * MIB, large)[kind]
