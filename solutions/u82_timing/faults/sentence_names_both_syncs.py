"""Names both syncs in the sentence.

check = "8.2.m/the_sync_that_is_missed_is_named"
stage = "torch"
says = "The sentence names both syncs. It should say which one."
"""

_fair_book = closed_book_timers


def closed_book_timers(prepare, fn, clock):
    result = _fair_book(prepare, fn, clock)
    other = "end" if result["missed"] == "start" else "start"
    return {
        **result,
        "sentence": f"The {result['missed']} sync is missed more than the {other} sync.",
    }
