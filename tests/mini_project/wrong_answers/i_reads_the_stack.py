"""A guard that asks its caller what the trainer is called."""


def guard(make_trainer):
    import sys

    caller = sys._getframe(1).f_locals
    assert "fault" not in str(caller.get("name")), "the gradients are too short"
