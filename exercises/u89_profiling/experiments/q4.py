"""Kernels twice as fast: what an iteration gains, by what holds it up."""


def iteration(kernel, launch=0.0, wait=0.0, sync=0.0, kernels=100):
    """Time of an iteration [ms]: the host launches while the device works."""
    return wait + max(kernels * launch, kernels * kernel) + sync


def tell(name, **costs):
    before, after = iteration(0.10, **costs), iteration(0.05, **costs)
    print(f"{name:28} {before:6.1f} ms -> {after:6.1f} ms   {before / after:.2f} times as fast")


tell("the kernels alone")
tell("waits for data", wait=200.0)
tell("waits for syncs", sync=200.0)
tell("waits for launches", launch=0.2)
print("The losses agree with all of these: what is computed is the same.")
