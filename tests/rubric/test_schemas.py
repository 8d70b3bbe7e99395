"""The rubric's own files: the five rows, and schemas that accept what is right and nothing else."""

import json
import tomllib

import jsonschema
import pytest

from grader.checks.evidence import Status
from grader.course.content import installed_content
from grader.course.unit import FIELD_KINDS, ROWS, STAGES
from grader.predictions.residual import State
from grader.predictions.units import FAMILIES
from grader.predictions.verdict import SealWord
from grader.scoring.rows import Level
from grader.scoring.rubric import read_rubric

FOLDER = installed_content().rubric
NAMES = ("report-1", "sheet-1", "unit-1", "override-1")


def schema(name):
    return json.loads((FOLDER / "schema" / f"{name}.json").read_text(encoding="utf-8"))


def faults(name, data):
    validator = jsonschema.Draft202012Validator(schema(name))
    return [error.json_path for error in validator.iter_errors(data)]


def nodes(node, path=()):
    """Yield every part of a schema that is itself a schema with a type or members."""
    if isinstance(node, dict):
        if {"type", "properties", "enum", "const", "$ref", "anyOf"} & set(node):
            yield path, node
        for key, value in node.items():
            yield from nodes(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from nodes(value, (*path, index))


def report():
    check = {
        "id": "8.9.a/nested_events", "task": "8.9.a", "title": "What holds.", "row": "timing",
        "level": "pass", "status": "not met", "message": "", "expected": "1", "got": "2",
        "unit": "us", "mistake": "", "hints": ["one"], "seconds": 0.1, "output": "",
        "person": False,
    }  # fmt: skip
    field = {
        "field": "peak", "kind": "exact", "title": "Bytes", "predicted": "1 B", "measured": "2 B",
        "residual": "+1 B", "state": "explained", "message": "",
        "terms": [{"name": "state", "amount": "1 B", "believed": True, "message": ""}],
    }  # fmt: skip
    seal = {
        "word": "sealed", "message": "", "sheet": "ab",
        "sealed_at": "2026-03-01T12:03:04Z", "measured_at": None,
        "seals": 2, "rewritten": ["peak"],
    }  # fmt: skip
    row = {"id": "timing", "title": "T", "level": "none", "at_most": "strong", "reasons": ["A."]}
    return {
        "schema": "report-1",
        "unit": "8.9",
        "title": "Profiling",
        "submission": {"path": "work", "digest": "ab"},
        "seed": "7f3a",
        "started": "2026-03-01T12:03:04+01:00",
        "finished": "2026-03-01T12:03:09.123+01:00",
        "interrupted": False,
        "versions": {"python": "3.11", "torch": "2.13", "numpy": None, "torch_evidence": "0.1"},
        "machine": {"system": "Linux", "cores": 2, "memory": None, "load": 0.5},
        "confinement": {"level": 2, "words": "confined", "practice": False},
        "checks": [check],
        "predictions": {"seal": seal, "fields": [field]},
        "rows": [row],
        "problems": [{"where": "a.py:3", "seen": "wrong", "todo": ""}],
        "next": {"task": "8.9.b", "title": "Next", "minutes": 15},
    }


def override():
    return {
        "schema": "override-1",
        "unit": "8.9",
        "submission": "ab12",
        "row": "timing",
        "level": "strong",
        "reason": "The text names it.",
        "who": "An instructor",
        "when": "2026-03-01T12:03:04Z",
    }


def members(data, path=()):
    """Yield the path of every member of every object in `data`."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in pairs:
        if isinstance(data, dict):
            yield (*path, key)
        if isinstance(value, dict | list):
            yield from members(value, (*path, key))


def parent(data, path):
    for key in path[:-1]:
        data = data[key]
    return data


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_schema_with_its_name(name):
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$id"] == f"{name}.json"
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_there_are_no_other_schemas():
    assert {path.stem for path in (FOLDER / "schema").iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_member_is_described_and_every_object_is_closed(name):
    for path, node in nodes(schema(name)):
        is_member = (
            len(path) > 1 and path[-2] == "properties" and "then" not in path and "if" not in path
        )
        if is_member:
            described = node.get("description") or "$ref" in node
            assert described, path
        if node.get("type") == "object" and "properties" in node:
            assert node["additionalProperties"] is False, path
            assert set(node["required"]) <= set(node["properties"]), path


def test_a_full_report_is_accepted():
    assert faults("report-1", report()) == []


def test_a_report_of_an_interrupted_grade_is_accepted():
    data = report() | {
        "finished": None,
        "interrupted": True,
        "checks": [],
        "predictions": None,
        "rows": [],
        "next": None,
    }
    assert faults("report-1", data) == []


OPTIONAL = {"hints", "sheet", "seals", "rewritten", "cores", "memory", "load"}


@pytest.mark.parametrize("path", list(members(report())), ids=str)
def test_a_report_misses_no_member_and_has_no_other(path):
    data = report()
    owner = parent(data, path)
    owner["extra"] = 1
    assert faults("report-1", data)
    del owner["extra"]
    del owner[path[-1]]
    assert bool(faults("report-1", data)) == (path[-1] not in OPTIONAL)


@pytest.mark.parametrize("path", list(members(report())), ids=str)
def test_no_member_of_a_report_may_be_of_another_kind(path):
    data = report()
    parent(data, path)[path[-1]] = [[{}]]
    assert faults("report-1", data)


def choices(name, *path):
    node = schema(name)
    for key in path:
        node = node[key]
    return node["enum"]


def test_the_words_of_the_schemas_are_those_of_the_code():
    check = ("$defs", "check", "properties")
    seal = ("$defs", "predictions", "properties", "seal", "properties")
    prediction = ("$defs", "prediction", "properties")
    assert choices("report-1", *check, "status") == [str(status) for status in Status]
    assert choices("report-1", *seal, "word") == [str(word) for word in SealWord]
    assert choices("report-1", *prediction, "state") == [str(state) for state in State]
    assert choices("report-1", *prediction, "kind") == list(FIELD_KINDS)
    assert choices("report-1", "$defs", "row_level") == [str(level) for level in Level]
    for name in ("report-1", "unit-1"):
        assert choices(name, "$defs", "row_id") == list(ROWS)
    assert choices("override-1", "properties", "row") == list(ROWS)
    field = ("$defs", "field", "properties")
    assert choices("unit-1", *field, "kind") == list(FIELD_KINDS)
    assert choices("unit-1", *field, "unit") == ["", *FAMILIES]
    assert choices("unit-1", "$defs", "task", "properties", "stage") == list(STAGES)


def test_an_override_names_row_level_reason_person_and_time():
    assert faults("override-1", override()) == []
    for key in override():
        data = override()
        del data[key]
        assert faults("override-1", data), key
    assert faults("override-1", override() | {"extra": 1})
    assert faults("override-1", override() | {"reason": "  "})
    assert faults("override-1", override() | {"when": "yesterday"})
    assert faults("override-1", override() | {"level": "good"})


def test_a_sheet_holds_texts_and_numbers():
    assert faults("sheet-1", {"peak": "1.6 MB", "calls": 2, "why": ""}) == []
    for bad in ({"peak": True}, {"peak": None}, {"peak": ["1 B"]}, {"Peak": "1 B"}, ["peak"]):
        assert faults("sheet-1", bad), bad


UNIT = """
id = "8.9"
title = "Profiling"
hours = 5
verbs = ["measure"]
rows = ["timing", "prediction"]
preload = ["torch.profiler"]

[[task]]
id = "8.9.a"
stage = "numpy"
function = "self_total"
title = "Self and total time"
minutes = 20
row = "timing"
hints = ["a", "b", "c"]
closed_book = true

[[field]]
name = "flops"
kind = "exact"
unit = "FLOP"
title = "FLOPs"
measure = "measure_flops"
terms = ["attention"]

[[field]]
name = "wait"
kind = "band"
unit = "%"
title = "Wait"
measure = "measure_wait"
band = 0.2

[[field]]
name = "slowest"
kind = "choice"
title = "Slowest"
choices = ["forward", "backward"]
measure = "measure_slowest"

[[field]]
name = "why"
kind = "text"
title = "Why"
measure = "measure_why"
terms = ["waiting"]
"""


def test_a_unit_with_every_kind_of_field_is_accepted():
    assert faults("unit-1", tomllib.loads(UNIT)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id = "8.9"\n', ""),
        ("hours = 5", "hours = 0"),
        ('verbs = ["measure"]', 'verbs = ["enjoy"]'),
        ('rows = ["timing", "prediction"]', 'rows = ["speed"]'),
        ('hints = ["a", "b", "c"]', 'hints = ["a", "b"]'),
        ("minutes = 20", "minutes = 2.5"),
        ('stage = "numpy"', 'stage = "jax"'),
        ('unit = "FLOP"', 'unit = "FLOPS"'),
        ('unit = "FLOP"\n', ""),
        ('measure = "measure_flops"\n', ""),
        ("band = 0.2\n", ""),
        ("band = 0.2", "band = 0"),
        ('choices = ["forward", "backward"]', 'choices = ["forward"]'),
        ('measure = "measure_slowest"', 'measure = ""'),
        ('measure = "measure_why"\n', ""),
        ('terms = ["waiting"]\n', ""),
        ('kind = "text"', 'kind = "essay"'),
        ('name = "why"', 'name = "Why?"'),
        ('title = "Why"', 'title = "Why"\nextra = 1'),
        ("closed_book = true", "closed_book = true\nextra = 1"),
    ],
)
def test_a_unit_with_a_fault_is_refused(old, new):
    assert old in UNIT
    assert faults("unit-1", tomllib.loads(UNIT.replace(old, new)))


def test_every_unit_of_the_course_follows_its_schema():
    for path in sorted(installed_content().exercises.glob("*/unit.toml")):
        assert faults("unit-1", tomllib.loads(path.read_text(encoding="utf-8"))) == [], path


def test_the_rubric_of_the_course_has_the_five_rows():
    rubric = read_rubric(FOLDER)
    assert tuple(row.id for row in rubric.rows) == ROWS
    assert all(row.passes.endswith(".") and row.strong.endswith(".") for row in rubric.rows)
