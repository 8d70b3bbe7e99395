"""Each instrument has a run of its own, and the seed is put back by hand."""


def recompute_report(model, x, segments, meter, early_stop=True):
    state = torch.get_rng_state()

    def fresh():
        twin = copy.deepcopy(model)
        for parameter in twin.parameters():
            parameter.grad = None
        return twin, twin if segments is None else checkpointed(twin, segments)

    with set_checkpoint_early_stop(early_stop):
        twin, run = fresh()
        calls = torch.zeros(len(twin), dtype=torch.int64)
        for place, block in enumerate(twin):
            block.register_forward_pre_hook(lambda *_, place=place: calls[place].add_(1) and None)
        run(x).sum().backward()
        twin, run = fresh()
        with FlopCounterMode(display=False) as counter:
            y = run(x)
        forward = counter.get_total_flops()
        with FlopCounterMode(display=False) as counter:
            y.sum().backward()
        backward = counter.get_total_flops()
        del y
        twin, run = fresh()
        ledger = meter()
        ledger.track([twin, {"x": x}])
        with ledger:
            with ledger.phase("forward"):
                y = run(x)
            with ledger.phase("backward"):
                y.sum().backward()
    torch.set_rng_state(state)
    phases = ledger.phases
    base = phases["forward"].before
    return {
        "live": phases["forward"].after - base,
        "peak": {"forward": phases["forward"].peak - base, "backward": phases["backward"].peak - base},
        "calls": calls.tolist(),
        "flops": {
            "forward": forward,
            "backward": backward,
            "ratio": float("nan") if not forward else (forward + backward) / forward,
        },
    }
