"""Splits a large block of which exactly 1 MiB stays over.

check = "8.3.d/blocks_are_split"
stage = "numpy"
says = "This is what splitting at 1 MiB gives. More than 1 MiB has to stay over in a large block."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Exact = CachingAllocator


class CachingAllocator(_Exact):
    def _splits(self, left, small):
        return left >= 512 if small else left >= MIB
