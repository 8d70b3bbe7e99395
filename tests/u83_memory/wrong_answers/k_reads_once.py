"""Reads the allocator when the meter is made, and never again."""

class _CudaMeter(_CudaMeter):
    def __init__(self, device):
        super().__init__(device)
        self.seen = torch.cuda.memory_allocated(device), torch.cuda.max_memory_allocated(device)

    live = property(lambda self: self.seen[0])
    peak = property(lambda self: self.seen[1])
