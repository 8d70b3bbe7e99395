"""A guard that fails without a word."""


def guard(make_trainer):
    assert discriminate(make_trainer) < 100
