"""Says by how much, and not which."""

_plain = closed_book_timers


def closed_book_timers(prepare, fn, clock):
    return {**_plain(prepare, fn, clock), "sentence": "One of the two syncs matters more."}
