"""Looks for stored graphs before it looks for histories.

check = "8.1.j/verdict_on_updates"
stage = "torch"
says = "A step that leaves both is called stored_graph. The verdicts are tried in the order of the list: history comes first."
"""

_history_first_update_guard = update_guard


def update_guard(step, weights, steps=3):
    answer = _history_first_update_guard(step, weights, steps)
    return {**answer, "verdict": "stored_graph"} if any(answer["grad_depths"]) else answer
