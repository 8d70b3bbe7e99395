"""Resets the peaks to zero.

check = "8.3.d/peaks_since_the_reset"
stage = "numpy"
says = "This is what a reset to zero gives. What is alive at the reset is alive afterwards: the peak begins there."
also = ["8.3.d/any_sequence_of_requests"]
source = "flagos-ai/Torch-FL PR#364"
"""

_FromLive = CachingAllocator


class CachingAllocator(_FromLive):
    def reset_peak(self):
        self._peaks = dict.fromkeys(self._peaks, 0)
