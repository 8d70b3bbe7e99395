"""Takes any number for a limit."""

_D8 = CachingAllocator


class CachingAllocator(_D8):
    def __init__(self, capacity=None):
        super().__init__()
        self._capacity = capacity
