"""Joins a freed block with the one behind it alone.

check = "8.3.d/free_neighbours_are_joined"
stage = "numpy"
says = "This is what joining with the block behind gives. The one in front may be free, too."
also = ["8.3.d/any_sequence_of_requests", "8.3.d/the_best_fit"]
"""

_BothSides = CachingAllocator


class CachingAllocator(_BothSides):
    def _join(self, segment, block):
        place = segment.blocks.index(block)
        for other in segment.blocks[place + 1 : place + 2]:
            if other.requested is None:
                block.size += other.size
                segment.blocks.remove(other)
