"""Looks at the values of all inputs before it looks at any gradient."""

_both = assert_finite


def assert_finite(function, inputs):
    for number, given in enumerate(inputs):
        if _first_bad(function(given.detach().clone()).detach()) is not None:
            raise AssertionError(f"input {number}: the value is bad")
    _both(function, inputs)
