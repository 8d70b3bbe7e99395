"""A guard that fails on everything."""


def guard(make_trainer):
    assert False, "better safe than sorry"
