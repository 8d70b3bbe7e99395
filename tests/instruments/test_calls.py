from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from grader.instruments.calls import calls


def called(function: object, *arguments: object) -> dict[str, object]:
    stage = SimpleNamespace(f=function)
    (answer,) = calls(stage, {"function": "f", "calls": [[list(arguments), {}]]})
    return answer


def test_a_value_is_kept_and_a_fraction_becomes_a_float() -> None:
    from fractions import Fraction

    answer = called(lambda x: {"half": (Fraction(1, x), x)}, 2)
    assert answer == {"value": {"half": [0.5, 2]}, "kept": True, "quiet": True}


def test_an_error_comes_with_its_classes() -> None:
    def refuse(x: object) -> None:
        raise ValueError("no")

    answer = called(refuse, 1)
    raised = answer["raised"]
    assert isinstance(raised, list)
    assert "ValueError" in raised
    assert answer["message"] == "no"


def test_a_stub_stays_a_stub() -> None:
    def stub() -> None:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        called(stub)


def test_a_changed_argument_and_a_used_generator_show() -> None:
    assert called(lambda x: x.append(1), [])["kept"] is False
    assert called(np.random.rand)["quiet"] is False
