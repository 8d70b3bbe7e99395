"""Knows torch.OutOfMemoryError alone.

check = "8.3.o/the_first_size_that_fits"
stage = "torch"
says = "An attempt ran out of memory and nothing else was tried. On a CPU that is a RuntimeError or a MemoryError."
also = ["8.3.o/the_next_try_begins_clean", "8.3.o/other_errors_go_through", "8.3.o/an_attempt_that_keeps_its_exception"]
"""


def first_fit(attempt, sizes):
    tried = 0
    for size in sizes:
        tried += 1
        try:
            return size, attempt(size)
        except torch.OutOfMemoryError:
            pass
        gc.collect()
    if not tried:
        raise ValueError("there is no size to try")
    raise MemoryError(f"none of {tried} sizes fits")
