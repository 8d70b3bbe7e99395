"""Exports each window a second time, into one trace that is overwritten."""

_one_each = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _one_each(trainer, loader, plan, trace_dir, clock)
    for path in table["traces"]:
        Path(trace_dir, "latest.json").write_bytes(Path(path).read_bytes())
    return table
