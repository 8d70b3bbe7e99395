"""Orders a graph with a cycle as if the closing edge were not there.

check = "8.1.d/graphs_that_make_no_sense"
stage = "numpy"
says = "A cycle was not noticed. A node that is met again while it is still open depends on itself, and no order is right."
"""

_noticing_users_first = _users_first


def _users_first(nodes, root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        name, done = stack.pop()
        if done:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            if name not in nodes:
                raise ValueError(name)
            stack.append((name, True))
            stack += [(source, False) for source in nodes[name]["inputs"] if source is not None]
    return order[::-1]
