"""Returns a segment as soon as its last block is freed.

check = "8.3.d/empty_cache_returns_whole_segments"
stage = "numpy"
says = "This is what giving freed segments back at once gives. The allocator keeps them: asking the driver again is what it is there to avoid."
also = ["8.3.d/free_neighbours_are_joined", "8.3.d/peaks_since_the_reset", "8.3.d/small_and_large_kept_apart", "8.3.d/any_sequence_of_requests", "8.3.d/handles_and_counts", "8.3.d/out_of_memory"]
"""

_Keeping = CachingAllocator


class CachingAllocator(_Keeping):
    def free(self, handle):
        super().free(handle)
        self.empty_cache()
