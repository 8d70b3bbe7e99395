"""Restores the generators of the processor and leaves those of the devices where they are.

check = "8.7.g/a_run_on_a_device_resumes"
stage = "torch"
says = "Dropout on a device draws from the generator of that device, which is none of the three of the processor: save and restore torch.cuda's states as well."
"""

_right = restore_run


def restore_run(run, state):
    rng = state.get("rng")
    if isinstance(rng, dict):
        state = {**state, "rng": {name: value for name, value in rng.items() if name != "cuda"}}
    _right(run, state)
