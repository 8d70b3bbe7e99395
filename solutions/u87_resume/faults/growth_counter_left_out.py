"""Restores the scale and not the count of good steps.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "The scale was restored, the count of steps since it last grew was not: it grows at another step. No parameter shows that."
also = [
  "8.7.g/a_run_on_a_device_resumes",
  "8.7.g/it_resumes_from_any_place",
]
source = "facebookresearch/metaseq#3"
"""

_right = restore_run


def restore_run(run, state):
    scaler = state.get("scaler")
    if scaler:
        state = {**state, "scaler": {**scaler, "_growth_tracker": 0}}
    _right(run, state)
