"""Keeps the last error to raise it at the end.

check = "8.3.o/the_next_try_begins_clean"
stage = "torch"
says = "Something held the error of the failed attempt, and with it the frames and their tensors. Keep its text, if you need it."
source = "pytorch/pytorch#27600"
also = ["8.3.o/an_attempt_that_keeps_its_exception"]
"""


def first_fit(attempt, sizes):
    last = None
    for size in sizes:
        try:
            return size, attempt(size)
        except (MemoryError, torch.OutOfMemoryError) as error:
            last = error
        except RuntimeError as error:
            if "out of memory" not in str(error).casefold():
                raise
            last = error
    if last is None:
        raise ValueError("there is no size to try")
    raise MemoryError("no size fits") from last
