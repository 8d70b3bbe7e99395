"""Reports zero bytes of a device that is not there.

check = "8.3.k/no_device_no_number"
stage = "torch"
says = "A meter was handed out for a device that is not there. torch.cuda.memory_allocated() returns 0 on a CPU build, and every budget is kept."
"""

_refusing_meter_for = meter_for


def meter_for(device):
    device = torch.device(device)
    return _CudaMeter(device) if device.type == "cuda" else _refusing_meter_for(device)
