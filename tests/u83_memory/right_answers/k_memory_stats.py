"""Reads memory_stats instead of the functions."""

class _CudaMeter(_CudaMeter):
    @property
    def live(self):
        return torch.cuda.memory_stats(self.device)["allocated_bytes.all.current"]

    @property
    def peak(self):
        return torch.cuda.memory_stats(self.device)["allocated_bytes.all.peak"]
