"""Uses the number of living blocks as handle.

check = "8.3.d/handles_and_counts"
stage = "numpy"
says = "Two requests got the same handle. A handle is given once, also after the first one was freed."
"""

_Unique = CachingAllocator


class CachingAllocator(_Unique):
    def malloc(self, nbytes):
        self._last = next(n for n in range(10**6) if n + 1 not in self._handles)
        return super().malloc(nbytes)
