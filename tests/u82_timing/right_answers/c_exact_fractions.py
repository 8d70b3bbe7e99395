"""Computes in fractions."""

from fractions import Fraction

_plain = measured


def measured(before, region, policy, sync=1):
    return float(Fraction(_plain(before, region, policy, sync)))
