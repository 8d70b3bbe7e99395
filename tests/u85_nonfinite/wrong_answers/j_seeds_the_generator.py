"""Puts the RNG back by a seed and not by its state when no state was given."""

_given = replay_anomaly


def replay_anomaly(fn, rng_state=None):
    if rng_state is None:
        torch.manual_seed(torch.initial_seed())
    return _given(fn, rng_state)
