"""Tests in float32, whatever the inputs are."""

_wide = assert_finite


def assert_finite(function, inputs):
    _wide(function, [given.detach().float() for given in inputs])
