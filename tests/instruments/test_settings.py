from __future__ import annotations

import pytest
import torch

from grader.instruments.settings import changed_by


def test_what_is_put_back_is_not_changed() -> None:
    def careful() -> str:
        with torch.autograd.detect_anomaly(check_nan=True), torch.no_grad():
            return "done"

    with pytest.warns(UserWarning, match="Anomaly Detection"):
        assert changed_by(careful) == ("done", [])


def test_a_mode_that_is_left_on_is_named() -> None:
    try:
        _, changed = changed_by(lambda: torch.set_grad_enabled(False))
    finally:
        torch.set_grad_enabled(True)
    assert changed == ["gradients"]
