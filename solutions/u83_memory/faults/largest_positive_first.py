"""Sorts terms by size with their sign.

check = "8.3.j/largest_term_first_and_units"
stage = "numpy"
says = "The order is that of signed sizes. A large negative term, something that was counted and is not there, matters as much as a positive one."
"""

_ranked_explain_gap = explain_gap


def explain_gap(predicted, measured, live):
    found = _ranked_explain_gap(predicted, measured, live)
    terms = found["terms"]
    return {
        **found,
        "terms": {name: terms[name] for name in sorted(terms, key=lambda n: -terms[n])},
    }
