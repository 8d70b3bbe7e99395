"""What a run goes on from, and whether what it gives is its own."""

from __future__ import annotations

import copy
from typing import Any


def went_on(stage: Any, case: dict[str, Any]) -> list[str]:
    """Overwrite what `train` gave; return which of its arguments have changed by that."""
    x, y, settings, state = case["x"], case["y"], case["settings"], case["state"]
    given = {"state": state, "x": x, "y": y, "settings": settings}
    before = copy.deepcopy(given)
    answer = stage.train(x, y, settings, case["steps"], state)
    _overwrite(answer)
    return [name for name in given if repr(given[name]) != repr(before[name])]


def _overwrite(value: Any) -> None:
    """Change every dict, list and array of a value in place."""
    import numpy as np

    if isinstance(value, dict):
        for item in value.values():
            _overwrite(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _overwrite(item)
        value.clear()
    elif isinstance(value, np.ndarray) and value.flags.writeable:
        value.fill(7)
