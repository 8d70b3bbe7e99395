"""Looks at the items of the prediction alone.

check = "8.3.j/terms_add_up_to_the_gap"
stage = "numpy"
says = "An item that was measured and never predicted is missing from the terms. What was forgotten altogether is what the gap is made of."
also = ["8.3.j/largest_term_first_and_units"]
"""

_both_explain_gap = explain_gap


def explain_gap(predicted, measured, live):
    found = _both_explain_gap(predicted, measured, live)
    known = {name: size for name, size in found["terms"].items() if name in predicted}
    lost = sum(found["terms"].values()) - sum(known.values())
    return {**found, "terms": known, "unexplained": found["unexplained"] + lost}
