"""Uploads every batch into the same memory of the device.

check = "8.2.l/prefetched_on_cuda"
stage = "torch"
says = "Batches had the values of the next one. All uploads went into one buffer, and the next is under way while a batch is in use."
"""


class CudaDevice(CudaDevice):
    def upload(self, tensor):
        if not hasattr(self, "buffer"):
            self.buffer = torch.empty_like(tensor, device="cuda")
        return self.buffer.copy_(tensor.pin_memory(), non_blocking=True)


_prefetched_from_any_device = prefetch


def prefetch(batches, device):
    return _prefetched_from_any_device(batches, device)
