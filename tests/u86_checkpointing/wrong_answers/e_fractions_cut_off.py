"""Makes every size a whole number."""

_any_number = chain_counts


def chain_counts(sizes, segments):
    _any_number(sizes, segments)
    return _any_number([int(size) for size in sizes], segments)
