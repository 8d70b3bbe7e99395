"""Numbers and bools of NumPy."""

import numpy as np

_pythons_k = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    report = _pythons_k(model, x, tolerance, threads, compiler)
    return {
        name: {
            "largest": np.float64(row["largest"]),
            "bitwise": np.bool_(row["bitwise"]),
            "within": np.bool_(row["within"]),
        }
        for name, row in report.items()
    }
