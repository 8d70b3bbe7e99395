"""A guard that fails with an error of another kind."""


def guard(make_trainer):
    if discriminate(make_trainer) > 100:
        raise RuntimeError("the gradients are too short")
