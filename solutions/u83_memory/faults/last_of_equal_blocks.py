"""Takes the last of equally large free blocks.

check = "8.3.d/the_best_fit"
stage = "numpy"
says = "Of two equal free blocks the later one was taken. The older segment comes first, and in it what lies nearer to the beginning."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Oldest = CachingAllocator


class CachingAllocator(_Oldest):
    def _fitting(self, size, small):
        fits = [
            (segment, block)
            for segment in reversed(self._segments)
            if segment.small == small
            for block in reversed(segment.blocks)
            if block.requested is None and block.size >= size
        ]
        return min(fits, key=lambda fit: fit[1].size) if fits else None
