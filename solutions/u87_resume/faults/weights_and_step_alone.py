"""Restores the weights and the number of the step.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "Weights and a step number are not a run: optimizer, scheduler, generators and the place in the data went on from somewhere else."
also = [
  "8.7.g/a_run_on_a_device_resumes",
  "8.7.g/it_resumes_from_any_place",
  "8.7.g/what_is_shared_stays_shared",
]
"""

_right = restore_run


def restore_run(run, state):
    missing = [part for part in PARTS if part not in state]
    fits = all((state[p] is None) == (getattr(run, p) is None) for p in PARTS[2:5] if p in state)
    if missing or not fits:
        raise ValueError("incomplete")
    _plain(run.model).load_state_dict(state["model"])
    run.step = state["step"]
