"""Hands out whole blocks.

check = "8.3.d/blocks_are_split"
stage = "numpy"
says = "This is what an allocator that never splits gives: each request takes all of the block it was given."
also = ["8.3.d/requested_allocated_reserved", "8.3.d/free_neighbours_are_joined", "8.3.d/fragments_do_not_serve", "8.3.d/the_best_fit", "8.3.d/small_and_large_kept_apart", "8.3.d/empty_cache_returns_whole_segments", "8.3.d/peaks_since_the_reset", "8.3.d/out_of_memory", "8.3.d/any_sequence_of_requests", "8.3.d/handles_and_counts"]
"""

_Splitting = CachingAllocator


class CachingAllocator(_Splitting):
    def _splits(self, left, small):
        return False
