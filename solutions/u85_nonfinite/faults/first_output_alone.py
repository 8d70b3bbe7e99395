"""Knows the message for the first output of a node alone.

check = "8.5.j/any_node_and_any_output"
stage = "torch"
says = "The NaN was in the second output of a node (its 1th output, says the message), and its error was passed on as if it were the step's own."
"""


def replay_anomaly(fn, rng_state=None):
    before = torch.get_rng_state()
    try:
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly(check_nan=True):
                loss = fn()
                try:
                    loss.backward()
                except RuntimeError as error:
                    found = re.match(r"Function '(.+)' returned nan values in its 0th", str(error))
                    if found is None:
                        raise
                    return found[1]
        return None
    finally:
        torch.set_rng_state(before)
