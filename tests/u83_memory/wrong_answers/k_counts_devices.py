"""Refuses by the number of devices of the process, but only without an index."""

_j_strict = meter_for


def meter_for(device):
    if str(device).startswith("cuda:"):
        return _CudaMeter(torch.device(device))
    return _j_strict(device)
