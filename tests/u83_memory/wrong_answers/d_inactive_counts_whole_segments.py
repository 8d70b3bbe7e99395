"""Counts all free bytes as inactive, those of free segments too."""

_D4 = CachingAllocator


class CachingAllocator(_D4):
    def stats(self):
        stats = super().stats()
        return {**stats, "inactive_split": stats["reserved"] - stats["allocated"]}
