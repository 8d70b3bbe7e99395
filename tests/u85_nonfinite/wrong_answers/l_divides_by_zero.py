"""Divides by the norm before it asks whether there is one."""

_careful = guarded_step


def guarded_step(model, optimizer, loss, max_norm=1.0):
    report = _careful(model, optimizer, loss, max_norm)
    if report["stepped"]:
        min(1.0, max_norm / report["norm"])
    return report
