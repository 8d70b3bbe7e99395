"""Keeps the text of the last error, which holds nothing."""

def first_fit(attempt, sizes):
    last = None
    for size in sizes:
        try:
            return size, attempt(size)
        except (MemoryError, torch.OutOfMemoryError) as error:
            last = str(error) or "no memory"
        except RuntimeError as error:
            if "out of memory" not in str(error).lower():
                raise
            last = str(error)
        gc.collect()
    if last is None:
        raise ValueError("there is no size to try")
    raise MemoryError(last)
