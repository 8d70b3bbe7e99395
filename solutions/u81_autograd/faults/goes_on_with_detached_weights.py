"""Goes on after a step that detached a weight.

check = "8.1.j/every_step_is_looked_at"
stage = "torch"
says = "A step was run on a weight that no longer needs its gradient. It cannot work, and its error hides what the guard has found."
also = [
  "8.1.j/verdict_on_updates",
]
"""

_stopping_update_guard = update_guard


def update_guard(step, weights, steps=3):
    answer = _stopping_update_guard(step, weights, steps)
    if answer["verdict"] == "detached":
        while len(answer["depths"]) < steps:
            step(weights)
            answer["depths"].append(0)
            answer["grad_depths"].append(0)
    return answer
