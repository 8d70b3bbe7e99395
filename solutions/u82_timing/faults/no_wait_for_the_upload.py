"""Hands batches out without an event.

check = "8.2.l/no_batch_is_used_before_it_has_arrived"
stage = "torch"
says = "Nothing lets the computation wait for the upload. It reads whatever is in the memory, and today the copy was fast enough."
also = ["8.2.l/prefetched_on_cuda"]
"""


def _hand_over(started, device):
    uploaded, _ = started
    for tensor in uploaded:
        device.record_stream(tensor, device.current_stream())
    return uploaded
