"""Walks the graph by recursion, each path anew.

check = "8.5.i/large_graphs"
stage = "torch"
says = "The graph was walked by recursion: it is thousands of nodes deep. Use a list of open nodes and a set of those seen."
"""


def _nodes(root):
    seen = set()

    def walk(node):
        seen.add(node)
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                walk(child)

    walk(root)
    return seen
