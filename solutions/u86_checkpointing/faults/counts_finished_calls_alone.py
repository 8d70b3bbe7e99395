"""Counts with a hook that runs when a call has ended.

check = "8.6.i/calls_of_one_step"
stage = "torch"
says = "The second call of the last block of a segment is missing: it ends early, by an exception, and a forward hook never sees it. A forward pre-hook does."
"""

_begun_calls = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _begun_calls(model, x, segments, meter, early_stop)
    twin = copy.deepcopy(model)
    calls = [0] * len(twin)
    for index, block in enumerate(twin):

        def count(module, inputs, output, index=index):
            calls[index] += 1

        block.register_forward_hook(count)
    with torch.random.fork_rng(devices=[]), set_checkpoint_early_stop(early_stop):
        (twin if segments is None else checkpointed(twin, segments))(x).sum().backward()
    return {**report, "calls": calls}
