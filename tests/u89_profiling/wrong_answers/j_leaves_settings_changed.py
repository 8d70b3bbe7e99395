"""Leaves anomaly detection on, two threads, float64 as default and the RNG seeded."""

_clean = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    r = _clean(trainer, batch, clock)
    torch.autograd.set_detect_anomaly(True)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    return r
