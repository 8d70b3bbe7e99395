"""Cleans up in the handler and tries again there."""

def first_fit(attempt, sizes):
    sizes = list(sizes)
    if not sizes:
        raise ValueError("there is no size to try")
    try:
        return sizes[0], attempt(sizes[0])
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "out of memory" not in str(error).casefold():
            raise
        gc.collect()
        if len(sizes) == 1:
            raise MemoryError("none fits") from None
        return first_fit(attempt, sizes[1:])
