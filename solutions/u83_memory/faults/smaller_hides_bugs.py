"""Goes on after any RuntimeError.

check = "8.3.o/other_errors_go_through"
stage = "torch"
says = "An error that has nothing to do with memory was taken for one. It would fail at every size, or worse, at none of the smaller ones."
"""


def first_fit(attempt, sizes):
    tried = 0
    for size in sizes:
        tried += 1
        try:
            return size, attempt(size)
        except (MemoryError, RuntimeError):
            pass
        gc.collect()
    if not tried:
        raise ValueError("there is no size to try")
    raise MemoryError(f"none of {tried} sizes fits")
