"""Switches the warning of the mode off, and all others with it, for good."""

_quiet = replay_anomaly


def replay_anomaly(fn, rng_state=None):
    warnings.simplefilter("ignore")
    return _quiet(fn, rng_state)
