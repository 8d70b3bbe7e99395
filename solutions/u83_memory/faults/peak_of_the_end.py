"""Notes peaks only when a block is freed.

check = "8.3.d/any_sequence_of_requests"
stage = "numpy"
says = "The peak misses what was reached by the last requests. It rises with a request, not with the free after it."
"""

_Noting = CachingAllocator


class CachingAllocator(_Noting):
    def _book(self, **changes):
        before = dict(self._peaks)
        super()._book(**changes)
        if changes.get("requested", 0) > 0:
            self._peaks["allocated"] = before["allocated"]

    def free(self, handle):
        self._book()
        super().free(handle)
