"""Looks no further where keys or lengths differ, so that differences beside them do not count."""

_all_of_it = _gap


def _gap(a, b, tolerance):
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() != b.keys():
        return False, 0.0
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) != len(b):
        return False, 0.0
    return _all_of_it(a, b, tolerance)
