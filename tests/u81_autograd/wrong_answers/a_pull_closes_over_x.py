"""Saves the right arrays and reads the arguments instead."""

_original = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, _ = _original(x, W, b, needs)

    def pull(saved, g):
        return (
            g @ W if needs[0] else None,
            g.T @ x if needs[1] else None,
            g.sum(0) if needs[2] else None,
        )

    return y, saved, pull
