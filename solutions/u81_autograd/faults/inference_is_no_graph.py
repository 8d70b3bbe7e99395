"""Takes inference tensors for a missing graph.

check = "8.1.i/each_refusal_by_its_name"
stage = "torch"
says = "A tensor from inference mode was called a missing graph. It is refused earlier, when it should be saved or made a leaf."
"""

_four_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    answer = _four_diagnose_backward(fn)
    return {**answer, "kind": "no_graph"} if answer["kind"] == "inference" else answer
