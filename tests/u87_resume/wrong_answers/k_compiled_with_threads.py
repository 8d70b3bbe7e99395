"""Runs the compiled model with the other number of threads."""

_right_report = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    if compiler is None:
        return _right_report(model, x, tolerance, threads)

    def made(inner):
        run = compiler(inner)

        def call(rows):
            torch.set_num_threads(threads)
            return run(rows)

        return call

    return _right_report(model, x, tolerance, threads, made)
