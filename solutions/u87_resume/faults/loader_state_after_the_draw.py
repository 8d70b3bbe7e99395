"""Draws the order from the state the generator was in when the run was saved.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "That state is from after the order was drawn: from it comes the order of the next epoch."
also = [
  "8.7.g/a_run_on_a_device_resumes",
  "8.7.g/it_resumes_from_any_place",
  "8.7.g/what_is_shared_stays_shared",
]
"""

_right = restore_run


def restore_run(run, state):
    _right(run, state)
    if run.order is not None:
        run.order = torch.randperm(len(run.x), generator=run.generator)
