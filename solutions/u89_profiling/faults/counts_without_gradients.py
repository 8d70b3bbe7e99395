"""Counts under no_grad where that works.

check = "8.9.m/one_quiet_run_of_the_step"
stage = "torch"
says = "The step ran without gradients. What is counted then is not the step that trains."
"""

_graph_reconcile = reconcile_flops


def reconcile_flops(step, hand):
    try:
        with torch.no_grad():
            return _graph_reconcile(step, hand)
    except RuntimeError:
        return _graph_reconcile(step, hand)
