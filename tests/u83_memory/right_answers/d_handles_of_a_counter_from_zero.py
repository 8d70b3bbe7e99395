"""Begins its handles at 0."""

_RD = CachingAllocator


class CachingAllocator(_RD):
    def malloc(self, nbytes):
        return super().malloc(nbytes) - 1

    def free(self, handle):
        super().free(handle + 1)
