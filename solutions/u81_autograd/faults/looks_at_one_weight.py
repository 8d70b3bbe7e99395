"""Looks at the first weight alone.

check = "8.1.j/verdict_on_updates"
stage = "torch"
says = "Only one weight was looked at. An update may go wrong for a single weight of many."
"""

_all_update_guard = update_guard


def update_guard(step, weights, steps=3):
    first = next((n for n, w in weights.items() if w.requires_grad), None)
    if first is None:
        return _all_update_guard(step, weights, steps)

    class One(dict):
        def items(self):
            return [(first, self[first])]

    whole = weights
    return _all_update_guard(lambda _: step(whole), _First(whole, first), steps)


class _First:
    """A dict of which only one name is seen."""

    def __init__(self, whole, name):
        self.whole, self.name = whole, name

    def items(self):
        return [(self.name, self.whole[self.name])]

    def __getitem__(self, name):
        return self.whole[name]
