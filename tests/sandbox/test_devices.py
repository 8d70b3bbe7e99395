from __future__ import annotations

import os

import pytest

from grader.sandbox import devices
from grader.sandbox.client import Sandbox


def test_no_worker_is_asked_where_no_device_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "may_be_there", lambda: False)
    monkeypatch.setattr(Sandbox, "worker", None)
    with Sandbox(level=0) as sandbox:
        assert not sandbox.has_cuda()


def test_a_fresh_interpreter_is_asked_what_torch_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(devices, "may_be_there", lambda: True)
    with Sandbox() as sandbox:
        assert sandbox.has_cuda() == torch.cuda.is_available()
        monkeypatch.setattr(Sandbox, "worker", None)  # not a second time
        assert sandbox.has_cuda() == torch.cuda.is_available()


def test_a_device_file_is_a_reason_to_ask(
    monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    monkeypatch.setattr(devices, "_MARKS", ("/no/such/file",))
    assert not devices.may_be_there()
    monkeypatch.setattr(devices, "_MARKS", ("/no/such/file", str(tmp_path)))
    assert devices.may_be_there()
