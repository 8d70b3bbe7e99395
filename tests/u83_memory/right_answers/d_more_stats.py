"""Has further stats, and a MemoryError of its own."""

_RD2 = CachingAllocator


class OutOfMemory(MemoryError):
    pass


class CachingAllocator(_RD2):
    def malloc(self, nbytes):
        try:
            return super().malloc(nbytes)
        except MemoryError as error:
            raise OutOfMemory(*error.args) from None

    def stats(self):
        stats = super().stats()
        return {**stats, "free": stats["reserved"] - stats["allocated"]}
