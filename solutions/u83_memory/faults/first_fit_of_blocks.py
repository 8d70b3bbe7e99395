"""Takes the first free block that is large enough.

check = "8.3.d/the_best_fit"
stage = "numpy"
says = "This is what the first fit gives. The smallest block that is large enough is taken, so that large ones stay whole."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Best = CachingAllocator


class CachingAllocator(_Best):
    def _fitting(self, size, small):
        for segment in self._segments:
            for block in segment.blocks if segment.small == small else []:
                if block.requested is None and block.size >= size:
                    return segment, block
        return None
