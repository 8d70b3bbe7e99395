"""Keeps a part in a class of its own, which weights_only=True refuses."""

import types

_plain = run_state


def run_state(run):
    return {**_plain(run), "loader": types.SimpleNamespace(**_plain(run)["loader"])}
