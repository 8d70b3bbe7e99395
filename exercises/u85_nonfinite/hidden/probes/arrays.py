"""Calls of the NumPy stage, with what they warn of and what they leave changed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def numeric(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function many times; say what each call gave, warned of, and left changed.

    As an argument ``{"ufunc": name}`` becomes that function of NumPy, and
    ``{"array": a, "layout": how}`` an array that lies in memory another way. Calls with ``strict``
    run where NumPy raises for a division by zero, an overflow and an invalid operation.
    """
    function, answers = getattr(stage, case["function"]), []
    for call in case["calls"]:
        arguments = [_argument(item) for item in call["args"]]
        named = {key: _argument(item) for key, item in call.get("named", {}).items()}
        before = repr((arguments, named))
        state, function_called = np.geterr(), np.geterrcall()
        answer: dict[str, Any] = {}
        level = "raise" if call.get("strict") else "warn"
        with (
            warnings.catch_warnings(record=True) as caught,
            np.errstate(divide=level, over=level, invalid=level, under="ignore"),
        ):
            warnings.simplefilter("always")
            inside = np.geterr(), np.geterrcall()
            try:
                answer["value"] = function(*arguments, **named)
            except NotImplementedError:
                raise
            except Exception as error:  # which one is judged by the driver
                answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
                answer["message"] = str(error)
            answer["state"] = (np.geterr(), np.geterrcall()) == inside
        answer["warned"] = [str(item.message) for item in caught]
        answer["kept"] = repr((arguments, named)) == before
        np.seterr(**state)
        np.seterrcall(function_called)
        answers.append(answer)
    return answers


def _argument(item: Any) -> Any:
    """Return an argument as the function shall see it."""
    if isinstance(item, dict) and set(item) == {"ufunc"}:
        return getattr(np, item["ufunc"])
    if isinstance(item, dict) and set(item) == {"array", "layout"}:
        return laid_out(item["array"], item["layout"])
    if isinstance(item, dict):
        return {key: _argument(value) for key, value in item.items()}
    return [_argument(value) for value in item] if isinstance(item, list) else item


def laid_out(array: np.ndarray, how: str) -> np.ndarray:
    """Return the same values with other strides: ``columns``, ``reversed`` or ``every other``."""
    if how == "columns":
        return np.asfortranarray(array)
    if how == "reversed":
        return np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    return np.repeat(array, 2, axis=-1)[..., ::2]
