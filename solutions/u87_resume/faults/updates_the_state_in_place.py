"""Updates the weights of the state it was given.

check = "8.7.b/a_state_is_not_touched"
stage = "numpy"
says = "w -= ... writes into the array that came with the state. Whoever goes on from that state a second time starts elsewhere."
"""

_right = train


def train(x, y, settings, steps, state=None):
    answer = _right(x, y, settings, steps, state)
    if state is not None:
        state["w"][:] = answer["state"]["w"]
    return answer
