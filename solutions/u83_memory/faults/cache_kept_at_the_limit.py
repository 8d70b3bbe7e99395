"""Gives up at the limit without giving cached segments back.

check = "8.3.d/out_of_memory"
stage = "numpy"
says = "A request failed although cached segments could have been given back. Before it gives up the allocator empties its cache and tries once more."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Trying = CachingAllocator


class CachingAllocator(_Trying):
    def _grown(self, size, small):
        if not self._allows(segment_size(size)):
            raise MemoryError
        return super()._grown(size, small)
