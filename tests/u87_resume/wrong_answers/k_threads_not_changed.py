"""Computes the boundary of the threads with one thread."""

_plain = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    return _plain(model, x, tolerance, 1, compiler)
