"""Lets NaN pass for no difference.

check = "8.7.k/gradients_count_and_nan_does_not_hide"
stage = "torch"
says = "A difference with NaN is NaN, and no comparison finds it: look where NaN stand on both sides."
"""


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

    def compute(way, count):
        torch.set_num_threads(count)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), buffers, strict=True):
                buffer.copy_(value)
        with torch.enable_grad():
            outputs = way(x)
            gradients = ()
            if parameters:
                gradients = torch.autograd.grad(
                    outputs.square().mean(), parameters, allow_unused=True
                )
        return [outputs.detach(), *gradients]

    try:
        base = compute(model, 1)
        report = {}
        for name, way in ways.items():
            found = compute(way, threads if name == "threads" else 1)
            largest = max(
                float((a - b).abs().nan_to_num(0).max() / a.abs().nan_to_num(0).max())
                for a, b in zip(base, found, strict=True)
                if a is not None
            )
            report[name] = {
                "bitwise": largest == 0.0,
                "largest": largest,
                "within": largest <= tolerance,
            }
    finally:
        torch.set_num_threads(before)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), buffers, strict=True):
                buffer.copy_(value)
    return report
