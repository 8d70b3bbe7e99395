"""Draws an order also where none had been drawn.

check = "8.7.g/it_resumes_from_any_place"
stage = "torch"
says = "At the end of an epoch no order is drawn yet: the next batch draws it."
"""

_right = restore_run


def restore_run(run, state):
    _right(run, state)
    if run.order is None:
        run.before_epoch = run.generator.get_state()
        run.order = torch.randperm(len(run.x), generator=run.generator)
