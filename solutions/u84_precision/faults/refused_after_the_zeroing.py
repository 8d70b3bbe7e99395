"""Drops the gradients before it looks at its arguments.

check = "8.4.k/steps_that_are_refused"
stage = "torch"
says = "Gradients were gone after a step that was refused. Look at all arguments first."
"""

_looks_first = amp_step


def amp_step(model, optimizer, *arguments, **named):
    optimizer.zero_grad()
    return _looks_first(model, optimizer, *arguments, **named)
