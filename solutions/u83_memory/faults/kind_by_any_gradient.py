"""Calls every leak one of data.

check = "8.3.n/a_list_of_losses"
stage = "torch"
says = "A leak that holds graphs was called one of data. A tensor with a grad_fn holds everything that its backward would need."
also = ["8.3.n/every_counted_step_decides"]
"""

_kind_find_leak = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    found = _kind_find_leak(step, meter, steps, warmup)
    return {**found, "kind": "data" if found["leaks"] else None}
