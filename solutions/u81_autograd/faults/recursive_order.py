"""Finds the order by recursion.

check = "8.1.d/deep_graphs_and_many_paths"
stage = "numpy"
says = "The order is found by recursion, and a long chain is deeper than Python's stack. Use a list as a stack of your own."
"""


def _users_first(nodes, root):
    order, state = [], {}

    def visit(name):
        if state.get(name) == "done":
            return
        if name not in nodes or state.get(name) == "open":
            raise ValueError(name)
        state[name] = "open"
        for source in nodes[name]["inputs"]:
            if source is not None:
                visit(source)
        state[name] = "done"
        order.append(name)

    visit(root)
    return order[::-1]
