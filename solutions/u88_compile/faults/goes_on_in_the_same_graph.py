"""Notes a break but goes on in the same graph.

check = "8.8.a/a_value_splits_the_graph"
stage = "numpy"
says = "Operations after the break are in the graph before it. That graph cannot run on its own: it would need the value that Python decided on."
"""


class _Tape(_Tape):
    def split(self, kind):
        if self.fullgraph:
            raise GraphBreak(kind)
        self.breaks.append(kind)
