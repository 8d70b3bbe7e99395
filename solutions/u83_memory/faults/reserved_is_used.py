"""Reports reserved bytes as allocated.

check = "8.3.d/requested_allocated_reserved"
stage = "numpy"
says = "This is what is reserved, in the place of what is allocated. Reserved is what the driver gave, allocated is what tensors have of it."
also = ["8.3.d/blocks_are_split", "8.3.d/free_neighbours_are_joined", "8.3.d/fragments_do_not_serve", "8.3.d/the_best_fit", "8.3.d/empty_cache_returns_whole_segments", "8.3.d/peaks_since_the_reset", "8.3.d/out_of_memory", "8.3.d/handles_and_counts", "8.3.d/any_sequence_of_requests"]
"""

_Honest = CachingAllocator


class CachingAllocator(_Honest):
    def stats(self):
        stats = super().stats()
        return {**stats, "allocated": stats["reserved"], "peak_allocated": stats["peak_reserved"]}
