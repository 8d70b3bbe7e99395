"""Judges by what the last step has left.

check = "8.1.j/every_step_is_looked_at"
stage = "torch"
says = "Only the last step counts in the verdict. A graph that a later step cuts off was there all the same, and kept what it had saved."
"""

_each_update_guard = update_guard


def update_guard(step, weights, steps=3):
    answer = _each_update_guard(step, weights, steps)
    verdict = answer["verdict"]
    if verdict == "history" and not answer["depths"][-1]:
        verdict = "ok"
    return {**answer, "verdict": verdict}
