"""Gives an empty tensor a block of 512 B, as max(512, ...) does."""

def round_size(nbytes):
    return max(512, -(-_count(nbytes, "a request") // 512) * 512)
