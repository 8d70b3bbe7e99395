"""Does not tell the allocator who reads the batch.

check = "8.2.l/no_memory_is_written_while_it_is_read"
stage = "torch"
says = "The allocator was not told that another stream reads the batch. Use record_stream, or keep the batch until an event says that it was read."
also = ["8.2.l/prefetched_on_cuda"]
source = "meta-pytorch/torchrec PR#4231, pytorch/pytorch#23729"
"""


def _hand_over(started, device):
    uploaded, event = started
    device.current_stream().wait_event(event)
    return uploaded
