"""Takes a result that is None for a failure."""

_o_any = first_fit


def first_fit(attempt, sizes):
    def asked(size):
        result = attempt(size)
        if result is None:
            raise MemoryError
        return result

    return _o_any(asked, sizes)
