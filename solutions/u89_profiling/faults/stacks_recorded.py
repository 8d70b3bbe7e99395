"""Records stacks in the timed run.

check = "8.9.k/no_debugging_tool_is_on"
stage = "torch"
says = "Stacks were recorded. Every Python call then leaves an event, and the step that is measured is not the step that trains."
source = "pytorch/kineto#308"
"""

_plain_profile = profile


def profile(**options):
    return _plain_profile(**{**options, "with_stack": True})
