"""Leaves freed neighbours apart.

check = "8.3.d/free_neighbours_are_joined"
stage = "numpy"
says = "This is what an allocator that does not join freed neighbours gives: it has the bytes, in pieces."
also = ["8.3.d/empty_cache_returns_whole_segments", "8.3.d/any_sequence_of_requests", "8.3.d/fragments_do_not_serve", "8.3.d/the_best_fit", "8.3.d/peaks_since_the_reset"]
"""

_Joining = CachingAllocator


class CachingAllocator(_Joining):
    def _join(self, segment, block):
        pass
