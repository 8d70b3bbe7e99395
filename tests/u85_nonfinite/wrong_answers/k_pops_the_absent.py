"""Takes what is absent out of the caller's dict."""

_kept = nonfinite_counts


def nonfinite_counts(tensors):
    names = list(tensors)
    for name in names:
        if tensors[name] is None:
            del tensors[name]
    found = _kept(tensors)
    return {name: found.get(name) for name in names}
