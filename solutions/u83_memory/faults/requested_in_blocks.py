"""Counts rounded sizes as requested.

check = "8.3.d/the_device_counts_the_same"
stage = "numpy"
says = "requested is what the tensors asked for, to the byte. These are the sizes that their requests were rounded to."
also = ["8.3.d/requested_allocated_reserved", "8.3.d/handles_and_counts", "8.3.d/any_sequence_of_requests"]
"""

_asked_for = CachingAllocator


class CachingAllocator(_asked_for):
    def malloc(self, nbytes):
        return super().malloc(round_size(nbytes))
