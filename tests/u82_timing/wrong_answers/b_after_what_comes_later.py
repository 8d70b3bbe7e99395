"""Looks for the names in `after` in the whole program, later ops among them."""

_plain = races


def races(ops):
    later = {op["name"] for op in ops if op["stream"] is not None}
    changed, seen = [], set()
    for op in ops:
        names = [name for name in op.get("after", []) if name in seen or name not in later]
        changed.append({**op, "after": names} if op.get("after") else op)
        seen.add(op["name"])
    return _plain(changed)
