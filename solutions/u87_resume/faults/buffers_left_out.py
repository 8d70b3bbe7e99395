"""Restores parameters and no buffers.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "Buffers are state: the running statistics of a normalization are others, and no parameter and no loss shows it in training mode."
also = [
  "8.7.g/it_resumes_from_any_place",
]
"""

_right = restore_run


def restore_run(run, state):
    kept = {name: value.clone() for name, value in _plain(run.model).named_buffers()}
    _right(run, state)
    for name, value in _plain(run.model).named_buffers():
        value.copy_(kept[name])
