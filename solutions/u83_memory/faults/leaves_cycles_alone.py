"""Leaves the failed attempts that are in a cycle to chance.

check = "8.3.o/an_attempt_that_keeps_its_exception"
stage = "torch"
says = "An attempt that keeps its own exception is in a cycle with it: leaving the except block does not end it. Collect garbage before the next attempt."
"""


def first_fit(attempt, sizes):
    tried = 0
    for size in sizes:
        tried += 1
        try:
            return size, attempt(size)
        except (MemoryError, torch.OutOfMemoryError):
            pass
        except RuntimeError as error:
            if "out of memory" not in str(error).casefold():
                raise
    if not tried:
        raise ValueError("there is no size to try")
    raise MemoryError(f"none of {tried} sizes fits")
