"""Gives an empty tensor a block.

check = "8.3.d/requested_allocated_reserved"
stage = "numpy"
says = "A request of 0 B took a block. An empty tensor asks for no memory at all."
also = ["8.3.d/handles_and_counts", "8.3.d/any_sequence_of_requests"]
"""

_Sparing = CachingAllocator


class CachingAllocator(_Sparing):
    def malloc(self, nbytes):
        handle = super().malloc(nbytes)
        if self._handles[handle] is None:
            self._handles[handle] = self._place(512, 0)
        return handle
