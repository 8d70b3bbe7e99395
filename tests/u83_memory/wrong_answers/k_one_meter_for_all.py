"""Makes one meter of the CPU, and hands it out again and again."""

_k_new = meter_for
_K_METERS = {}


def meter_for(device):
    kind = torch.device(device).type
    return _K_METERS.setdefault(kind, _k_new(device)) if kind == "cpu" else _k_new(device)
