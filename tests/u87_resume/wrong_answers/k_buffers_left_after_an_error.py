"""Puts buffers and generator back only if the model did not raise."""

def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    if not len(x):
        raise ValueError("x has no rows")
    ways = {
        "again": model,
        "threads": model,
        "batch": lambda x: torch.cat([model(x[i : i + 1]) for i in range(len(x))]),
    }
    if compiler is not None:
        ways["compiled"] = compiler(model)
    before = torch.get_num_threads()
    rng = torch.get_rng_state()
    buffers = [buffer.clone() for buffer in model.buffers()]
    parameters = [p for p in model.parameters() if p.requires_grad]

    def start():
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), buffers, strict=True):
                buffer.copy_(value)

    def compute(way, count):
        torch.set_num_threads(count)
        start()
        outputs = way(x)
        gradients = torch.autograd.grad(outputs.square().mean(), parameters, allow_unused=True)
        return [outputs.detach(), *gradients]

    try:
        base = compute(model, 1)
        report = {}
        for name, way in ways.items():
            found = compute(way, threads if name == "threads" else 1)
            largest = max(map(_largest, base, found))
            report[name] = {"bitwise": largest == 0.0, "largest": largest,
                            "within": largest <= tolerance}
        start()
    finally:
        torch.set_num_threads(before)
    return report
