"""The record of what a measurement ran under."""

import json
import sys

import torch

from grader.instruments import environment


def test_it_is_plain_data_and_names_the_versions_that_run():
    seen = environment.describe()
    assert json.loads(json.dumps(seen)) == seen
    assert seen["torch"] == torch.__version__
    assert seen["threads"] == torch.get_num_threads() == 1
    assert seen["python"] == ".".join(map(str, sys.version_info[:3]))
    assert seen["cpus"] >= 1


def test_torch_is_not_imported_for_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    assert environment.describe()["threads"] is None
    assert "torch" not in sys.modules


def test_what_this_system_does_not_say_is_none(monkeypatch):
    def missing(*_, **__):
        raise OSError

    monkeypatch.setattr(environment.Path, "read_text", missing)
    monkeypatch.setattr(environment.os, "getloadavg", missing)
    assert environment.cpu_pressure() is None
    assert environment.load_average() is None
