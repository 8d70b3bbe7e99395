"""Lets the host wait until the batch has arrived.

check = "8.2.l/uploads_run_beside_the_computation"
stage = "torch"
says = "The host waited for an upload. Let the stream wait for the event: the host has launches to make."
"""


def _hand_over(started, device):
    uploaded, event = started
    event.synchronize()
    device.current_stream().wait_event(event)
    for tensor in uploaded:
        device.record_stream(tensor, device.current_stream())
    return uploaded
