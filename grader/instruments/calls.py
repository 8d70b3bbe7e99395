"""Call one function many times, and record what each call gave and what it did besides.

Blind to: what a function does to anything but its arguments and NumPy's global generator.
"""

from __future__ import annotations

from enum import Enum
from numbers import Integral, Rational
from typing import Any


def calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function many times; say what each call gave, and what it did besides.

    A probe: it takes a stage and a case. A stub's error is let through, so that a task that is not
    attempted stays so.

    Args:
        stage: The module that has the function.
        case: ``function`` is its name, ``calls`` a list of positional and named arguments.

    Returns:
        One dict a call: ``value``, or ``raised`` (names of the error's classes) and ``message``;
        ``kept`` if the arguments are what they were, ``quiet`` if NumPy's global generator is.
    """
    function, answers = getattr(stage, case["function"]), []
    for arguments, named in case["calls"]:
        before, state = repr((arguments, named)), _generator()
        answer: dict[str, Any] = {}
        try:
            answer["value"] = _rebuilt(function(*arguments, **named))
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
            answer["message"] = str(error)
        answer["kept"] = repr((arguments, named)) == before
        answer["quiet"] = _generator() == state
        answers.append(answer)
    return answers


def _generator() -> tuple[int, bytes]:
    """Return the state of NumPy's global generator."""
    import numpy as np

    state = np.random.get_state(legacy=False)["state"]
    return state["pos"], state["key"].tobytes()


def _rebuilt(value: Any) -> Any:
    """Return a copy that no later call can change; an exact fraction becomes a float."""
    if isinstance(value, dict):
        return {key: _rebuilt(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(item) for item in value]
    if isinstance(value, Rational) and not isinstance(value, Integral):
        return float(value)
    return str(value) if isinstance(value, Enum) and isinstance(value, str) else value
