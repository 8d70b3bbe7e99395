"""Uses set_detect_anomaly as a context and fork_rng."""


def replay_anomaly(fn, rng_state=None):
    with torch.random.fork_rng(devices=[]), torch.autograd.set_detect_anomaly(True, True):
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = fn()
            try:
                loss.backward()
            except RuntimeError as error:
                if "returned nan values" not in str(error):
                    raise
                return str(error).split("'")[1]
