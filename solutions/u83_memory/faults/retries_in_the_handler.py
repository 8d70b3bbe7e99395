"""Tries the next size inside the except block.

check = "8.3.o/the_next_try_begins_clean"
stage = "torch"
says = "The tensors of the failed attempt were alive when the next one began: inside the except block the exception holds the frames. Leave it first."
source = "pytorch/pytorch#18853"
also = ["8.3.o/an_attempt_that_keeps_its_exception"]
"""


def _is_memory(error):
    return isinstance(error, MemoryError) or "out of memory" in str(error).casefold()


def _attempt_all(attempt, size, rest):
    try:
        return size, attempt(size)
    except (MemoryError, RuntimeError) as error:
        if not _is_memory(error):
            raise
        for following in rest:
            return _attempt_all(attempt, following, rest)
        raise MemoryError("no size fits") from None


def first_fit(attempt, sizes):
    rest = iter(sizes)
    for size in rest:
        return _attempt_all(attempt, size, rest)
    raise ValueError("there is no size to try")
