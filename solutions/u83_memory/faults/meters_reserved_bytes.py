"""Reads reserved bytes for allocated ones.

check = "8.3.k/the_allocator_of_this_device"
stage = "torch"
says = "This is what the reserved bytes give. They contain the cache of the allocator; what tensors need is memory_allocated."
"""


class _CudaMeter(_CudaMeter):
    @property
    def live(self):
        return torch.cuda.memory_reserved(self.device)

    @property
    def peak(self):
        return torch.cuda.max_memory_reserved(self.device)
