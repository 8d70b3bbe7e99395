"""Takes the gap from the wrong side.

check = "8.3.j/terms_add_up_to_the_gap"
stage = "numpy"
says = "The sign is turned round: the gap is measured less predicted, so that what was forgotten is positive."
also = ["8.3.j/largest_term_first_and_units"]
"""

_signed_explain_gap = explain_gap


def explain_gap(predicted, measured, live):
    found = _signed_explain_gap(predicted, measured, live)
    return {
        "gap": -found["gap"],
        "terms": {name: -size for name, size in found["terms"].items()},
        "unexplained": -found["unexplained"],
    }
