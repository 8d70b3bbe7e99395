"""A subclass of profile; compressed traces; contiguous clock readings between iterations."""


class _Windows(profile):
    def __init__(self, folder, **more):
        self.paths = []
        super().__init__(on_trace_ready=self.save, **more)
        self.folder = folder

    def save(self, prof):
        self.paths.append(str(Path(self.folder, f"trace-{len(self.paths):03d}.json.gz")))
        prof.export_chrome_trace(self.paths[-1])


_reference_k = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if trace_dir is None or min(plan["active"], plan["repeat"]) < 1:
        return _reference_k(trainer, loader, plan, trace_dir, clock)
    Path(trace_dir).mkdir(parents=True, exist_ok=True)
    when = schedule(**plan)
    window = plan["wait"] + plan["warmup"] + plan["active"]
    samples, iterator = [], None
    with _Windows(
        trace_dir,
        activities=[ProfilerActivity.CPU],
        schedule=when,
        with_stack=False,
        record_shapes=False,
        profile_memory=False,
    ) as prof:
        for i in range(window * plan["repeat"]):
            s = {}
            with _phase("data_wait", trainer, clock, s):
                batch, iterator = _fetch(trainer, loader, iterator)
            s.update(annotated_step(trainer, batch, clock)[1])
            if i % window >= window - plan["active"]:
                samples.append(s)
            prof.step()
    return {**_table(samples), "traces": prof.paths}
