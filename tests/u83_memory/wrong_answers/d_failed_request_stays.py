"""Counts a request that failed as requested."""

_D5 = CachingAllocator


class CachingAllocator(_D5):
    def malloc(self, nbytes):
        try:
            return super().malloc(nbytes)
        except MemoryError:
            self._now["requested"] += nbytes
            raise
