"""Counts rounded sizes as requested."""

_D2 = CachingAllocator


class CachingAllocator(_D2):
    def malloc(self, nbytes):
        return super().malloc(round_size(nbytes))
