"""Loads with assign=True, which puts new tensors in the place of the parameters.

check = "8.7.g/what_is_shared_stays_shared"
stage = "torch"
says = "assign=True gives each name a tensor of its own: what was shared comes apart, and the optimizer goes on with the old ones."
also = [
  "8.7.g/a_run_on_a_device_resumes",
  "8.7.g/a_resumed_run_is_the_unbroken_one",
  "8.7.g/it_resumes_from_any_place",
]
source = "pytorch/pytorch#188346"
"""

_right = restore_run


def restore_run(run, state):
    _right(run, state)
    _plain(run.model).load_state_dict(copy.deepcopy(state["model"]), assign=True)
