"""Draws the line where sound runs are.

check = "mini-project.i/the_guard_fails_on_the_fault_alone"
stage = "torch"
says = "The guard fails on a sound run. Put the threshold between the sound number and the faulty one."
"""


def guard(make_trainer):
    ratio = discriminate(make_trainer)
    assert ratio < 0.5, f"the optimizer gets gradients that are {ratio:.3g} times too short"
