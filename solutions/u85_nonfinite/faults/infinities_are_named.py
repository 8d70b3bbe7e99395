"""Names the root when its gradient is infinite.

check = "8.5.j/silent_for_infinities"
stage = "torch"
says = "Anomaly detection is silent for infinities. A replay that names one did something else."
"""


def replay_anomaly(fn, rng_state=None):
    before = torch.get_rng_state()
    try:
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mode warns that it is on, and prints a trace
            with torch.autograd.detect_anomaly(check_nan=True):
                loss = fn()
                names = [node.name() for node in _nodes(loss.grad_fn)]
                try:
                    loss.backward()
                except RuntimeError as error:
                    found = re.match(r"Function '(.+)' returned nan values in its", str(error))
                    if found is None:
                        raise
                    return found[1]
        return next((name for name in names if name.startswith("Sqrt")), None)
    finally:
        torch.set_rng_state(before)
