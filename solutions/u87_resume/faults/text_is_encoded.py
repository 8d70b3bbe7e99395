"""Takes text as well, and encodes it.

check = "8.7.e/bad_places_and_kinds_are_refused"
stage = "numpy"
says = "Text is not bytes: a state that was turned into text by accident would be written without a word."
"""

_right = atomic_write


def atomic_write(path, data):
    _right(path, data.encode() if isinstance(data, str) else data)
