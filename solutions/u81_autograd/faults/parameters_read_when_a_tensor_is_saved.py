"""Goes through the parameters again for each save.

check = "8.1.g/edges_of_a_report"
stage = "torch"
says = "The parameters came as an iterator, and were used up at the first save. Read them once, before the function runs."
also = [
  "8.1.l/closed_book_counts",
]
"""

_early_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    if hasattr(params, "__next__"):
        params = [next(params)]
    return _early_saved_report(fn, params, inputs)
