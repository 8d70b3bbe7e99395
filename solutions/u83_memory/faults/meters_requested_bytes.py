"""Reads what tensors asked for instead of what they got.

check = "8.3.k/a_device_that_is_there"
stage = "torch"
says = "This is what the tensors asked for. memory_allocated counts their blocks, which are multiples of 512 B."
"""


class _CudaMeter(_CudaMeter):
    def _stat(self, which, otherwise):
        stats = torch.cuda.memory_stats(self.device)
        return stats.get(f"requested_bytes.all.{which}", otherwise)

    @property
    def live(self):
        return self._stat("current", super().live)

    @property
    def peak(self):
        return self._stat("peak", super().peak)
