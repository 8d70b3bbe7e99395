"""Divides in floats, which is exact for every size that fits on a device today."""

def round_size(nbytes):
    return math.ceil(_count(nbytes, "a request") / 512) * 512
