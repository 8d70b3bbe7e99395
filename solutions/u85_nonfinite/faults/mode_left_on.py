"""Switches anomaly detection on and not off again.

check = "8.5.j/mode_after_a_replay"
stage = "torch"
says = "Anomaly detection is still on, or was switched off for somebody who had it on. Use it as a context."
also = ["8.5.j/replay_draws_the_same_mask", "8.5.j/rng_after_a_replay", "8.5.j/silent_for_infinities"]
"""

_replay_inside_a_context = replay_anomaly


def replay_anomaly(fn, rng_state=None):
    try:
        return _replay_inside_a_context(fn, rng_state)
    finally:
        torch.autograd.set_detect_anomaly(True)
