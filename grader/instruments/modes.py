"""How many of torch's modes are on in this thread, so that one left behind is seen.

Blind to: modes of other threads, and hooks that are no modes.
"""

from __future__ import annotations


def modes_on() -> int:
    """Return how many function modes and dispatch modes are on."""
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    return len(_get_current_function_mode_stack()) + len(_get_current_dispatch_mode_stack())
