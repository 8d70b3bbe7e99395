"""Rejects a hypothesis with a number that nobody measured.

check = "mini-project.h/a_rejected_hypothesis_has_its_number"
stage = "torch"
edits = [{ file = "postmortem.toml", old = "number = 0.177", new = "number = 0.0001" }]
says = "No trainer with ReLU has gradients without a single 0. Measure, then write the number down."
"""
