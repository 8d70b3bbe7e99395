"""Loads a state without second moments: all that comes after a resume is NaN."""

_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    load = run.load_state_dict

    def loaded(state):
        load(state)
        for moments in run.optimizer.state.values():
            moments["exp_avg_sq"].zero_()

    run.load_state_dict = loaded
    return run
