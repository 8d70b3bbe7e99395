"""Compares outputs alone.

check = "8.8.j/a_wrong_backward_is_found"
stage = "torch"
says = "The outputs were compared, the gradients were not."
also = ["8.8.j/wrong_outputs_are_found", "8.8.j/a_tolerance_is_declared"]
"""


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0, _right=compare):
    failed = _right(model, batch, backend, rtol, seed)["failed"]
    failed = [part for part in failed if "outputs" in part]
    return {"agree": not failed, "failed": failed}
