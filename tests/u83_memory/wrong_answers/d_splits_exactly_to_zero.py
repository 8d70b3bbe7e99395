"""Leaves free blocks of no bytes behind an exact fit, which then stand between neighbours."""

_D6 = CachingAllocator


class CachingAllocator(_D6):
    def _splits(self, left, small):
        return left == 512 or super()._splits(left, small) if small else left > MIB + 512
