"""Hands in a profile of ten steps.

check = "mini-project.a/the_profile_is_of_this_run"
stage = "torch"
edits = [{ file = "profile.toml", old = "repeats = 30", new = "repeats = 10" }]
says = "A profile of ten steps was handed in. Measure 20 or more."
"""
