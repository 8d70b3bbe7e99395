"""Leaves the schedule out of the state.

check = "mini-project.g/the_state_is_complete"
stage = "torch"
also = ["mini-project.l/a_resumed_run_is_the_unbroken_one"]
says = "After a resume the losses differ by a little: the learning rate begins anew. Look at what the next step reads."
"""


_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    state_dict, load = run.state_dict, run.load_state_dict

    def without():
        return {key: value for key, value in state_dict().items() if key != "scheduler"}

    def loaded(state):
        load({**state, "scheduler": run.scheduler.state_dict()})

    run.state_dict, run.load_state_dict = without, loaded
    return run
