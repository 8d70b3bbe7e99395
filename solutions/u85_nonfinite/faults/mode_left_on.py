"""Switches anomaly detection on and not off again.

check = "8.5.j/mode_after_a_replay"
stage = "torch"
says = "Anomaly detection is still on, or was switched off for somebody who had it on. Use it as a context."
also = ["8.5.j/replay_draws_the_same_mask", "8.5.j/rng_after_a_replay", "8.5.j/silent_for_infinities"]
"""


def replay_anomaly(fn, rng_state=None):
    before = torch.get_rng_state()
    try:
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mode warns that it is on, and prints a trace
            torch.autograd.set_detect_anomaly(True)
            if True:
                loss = fn()
                try:
                    loss.backward()
                except RuntimeError as error:
                    found = re.match(r"Function '(.+)' returned nan values in its", str(error))
                    if found is None:
                        raise
                    return found[1]
        return None
    finally:
        torch.set_rng_state(before)
