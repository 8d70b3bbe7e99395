"""Serves small requests from large segments.

check = "8.3.d/small_and_large_kept_apart"
stage = "numpy"
says = "This is what one pool for all requests gives. Small blocks have segments of their own, so that they do not cut up the large ones."
also = ["8.3.d/empty_cache_returns_whole_segments", "8.3.d/out_of_memory", "8.3.d/any_sequence_of_requests"]
"""

_Pools = CachingAllocator


class CachingAllocator(_Pools):
    def _fitting(self, size, small):
        found = super()._fitting(size, small)
        return found or super()._fitting(size, not small)
