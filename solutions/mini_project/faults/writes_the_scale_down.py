"""Writes the loss scale into the post-mortem instead of what was measured.

check = "mini-project.h/the_numbers_of_the_postmortem_are_measured"
stage = "torch"
edits = [{ file = "postmortem.toml", old = "faulty = 12900.0", new = "faulty = 65536.0" }]
says = "This is the loss scale. Clipped gradients were also shortened, so that the measured ratio is another number."
"""
