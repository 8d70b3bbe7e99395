"""Serves a request whenever enough bytes are free in all.

check = "8.3.d/fragments_do_not_serve"
stage = "numpy"
says = "This is what adding up free bytes gives. A request needs them in one piece: blocks between living ones cannot be moved together."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Fragmented = CachingAllocator


class CachingAllocator(_Fragmented):
    def _fitting(self, size, small):
        found = super()._fitting(size, small)
        for segment in self._segments if found is None else []:
            free = [block for block in segment.blocks if block.requested is None]
            if segment.small == small and sum(block.size for block in free) >= size:
                free[0].size = sum(block.size for block in free)
                for other in free[1:]:
                    segment.blocks.remove(other)
                return segment, free[0]
        return found
