"""Takes a request of exactly 1 MiB for a large one.

check = "8.3.d/small_and_large_kept_apart"
stage = "numpy"
says = "A request of exactly 1 MiB was served as a large one. Up to 1 MiB, and including it, is small."
also = ["8.3.d/any_sequence_of_requests", "8.3.d/blocks_are_split", "8.3.d/out_of_memory"]
"""

_Edge = CachingAllocator


class CachingAllocator(_Edge):
    def _place(self, size, requested):
        if size != MIB:
            return super()._place(size, requested)
        segment, block = self._fitting(size, small=False) or self._grown(size, small=False)
        left = block.size - size
        if self._splits(left, small=True):
            block.size = size
            segment.blocks.insert(segment.blocks.index(block) + 1, _Block(left))
        block.requested = requested
        self._book(requested=requested, allocated=block.size)
        return segment, block
