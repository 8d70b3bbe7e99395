"""Gives the cache back whenever the limit would be passed, also if a free block fits."""

_D3 = CachingAllocator


class CachingAllocator(_D3):
    def _place(self, size, requested):
        if not self._allows(segment_size(size)):
            self.empty_cache()
        return super()._place(size, requested)
