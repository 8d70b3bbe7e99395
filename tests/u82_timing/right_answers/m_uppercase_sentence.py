"""Writes the word in capitals, within a longer sentence."""

_plain = closed_book_timers


def closed_book_timers(prepare, fn, clock):
    result = _plain(prepare, fn, clock)
    word = result["missed"].upper()
    return {**result, "sentence": f"In the trend, restarting aside, it depends on the {word}: look there!"}
