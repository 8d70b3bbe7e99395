"""Reads the current device instead of the one asked for.

check = "8.3.k/the_allocator_of_this_device"
stage = "torch"
says = "Another device was read. Every call of torch.cuda takes the device; without it, it is the current one."
"""


class _CudaMeter(_CudaMeter):
    def __init__(self, device):
        super().__init__(None)
