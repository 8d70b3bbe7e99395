"""Splits large blocks down to 512 bytes.

check = "8.3.d/blocks_are_split"
stage = "numpy"
says = "This is what splitting large blocks down to 512 B gives. Small rests of large blocks would serve nobody: more than 1 MiB has to stay over."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Coarse = CachingAllocator


class CachingAllocator(_Coarse):
    def _splits(self, left, small):
        return left >= 512
