"""Claims twice the gain that there is.

check = "mini-project.j/the_claim_is_what_is_measured"
stage = "torch"
edits = [{ file = "optimization.toml", old = "ratio = 1.5\\nlow = 1.49\\nhigh = 1.51", new = "ratio = 3.0\\nlow = 2.9\\nhigh = 3.1" }]
says = "The claim is larger than what is measured. Measure the peak of a whole step, not one part of it."
"""
