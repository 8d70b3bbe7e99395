"""Puts the averaged weights into the model.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "The run went on from the averages: they stand beside the weights, never in their place."
also = [
  "8.7.g/it_resumes_from_any_place",
  "8.7.g/an_incomplete_state_is_refused",
]
source = "Megvii-BaseDetection/YOLOX#1318"
"""

_right = restore_run


def restore_run(run, state):
    if state.get("ema"):
        model = {**state["model"], **{k: v for k, v in state["ema"].items() if "running" not in k}}
        model = {k: state["model"][k] if "num_batches" in k else v for k, v in model.items()}
        state = {**state, "model": model}
    _right(run, state)
