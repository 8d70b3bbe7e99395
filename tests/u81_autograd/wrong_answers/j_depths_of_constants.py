"""Looks at every weight of the dict, those that need no gradient included."""

_original = update_guard


def update_guard(step, weights, steps=3):
    constants = [name for name, weight in weights.items() if not weight.requires_grad]
    more = []

    def watched(handed):
        step(handed)
        more.append(max((graph_nodes(handed[n])["depth"] for n in constants), default=0))

    answer = _original(watched, weights, steps)
    depths = [max(pair) for pair in zip(answer["depths"], more, strict=True)]
    return {**answer, "depths": depths, "verdict": "history" if any(depths) else answer["verdict"]}
