"""Replays at the RNG state that happens to be there.

check = "8.5.j/replay_draws_the_same_mask"
stage = "torch"
says = "The replay drew another dropout mask than the failed step. Start at the state that was handed in."
also = ["8.5.j/rng_after_a_replay", "8.5.j/mode_after_a_replay"]
"""


def replay_anomaly(fn, rng_state=None):
    before = torch.get_rng_state()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mode warns that it is on, and prints a trace
            with torch.autograd.detect_anomaly(check_nan=True):
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
