"""Holds the limit against allocated bytes.

check = "8.3.d/out_of_memory"
stage = "numpy"
says = "This is what a limit on allocated bytes gives. The device has to hold what is reserved, cached segments and fragments included."
also = ["8.3.d/any_sequence_of_requests"]
"""

_Limited = CachingAllocator


class CachingAllocator(_Limited):
    def _allows(self, new):
        return self._capacity is None or self._now["allocated"] + new <= self._capacity
