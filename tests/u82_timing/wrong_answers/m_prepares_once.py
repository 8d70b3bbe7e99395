"""Prepares the queue for the first timer alone."""

_plain = closed_book_timers


def closed_book_timers(prepare, fn, clock):
    left = [prepare]

    def once():
        if left:
            left.pop()()

    return _plain(once, fn, clock)
