"""Takes places that are counted from the end."""

_right_failure = guard_failure


def guard_failure(example, args, dynamic=(), shared=()):
    def at(place):
        number, index = place
        if -len(example) <= number < 0:
            number += len(example)
        if index is not None and 0 <= number < len(example):
            rank = np.ndim(example[number])
            if -rank <= index < 0:
                index += rank
        return number, index

    return _right_failure(example, args, set(map(at, dynamic)), set(map(at, shared)))
