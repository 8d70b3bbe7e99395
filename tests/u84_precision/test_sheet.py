"""What the sheet of unit 8.4 asks is measured alike each time; its terms can be told apart."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.course.unit import SheetField, load_unit
from grader.predictions.sheet import read_sheet

ROOT = Path(__file__).resolve().parents[2]
UNIT = load_unit(ROOT / "exercises" / "u84_precision")
FIELDS = {field.name: field for field in UNIT.fields}


@pytest.fixture(scope="module")
def probes() -> Iterator[ModuleType]:
    folder = UNIT.hidden / "probes"
    spec = util.spec_from_file_location(
        "probes_u84", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["probes_u84"] = module
    spec.loader.exec_module(module)
    yield module
    for name in [name for name in sys.modules if name.split(".")[0] == "probes_u84"]:
        del sys.modules[name]


def _measured(probes: ModuleType, field: SheetField) -> dict[str, Any]:
    case = {"seed": 1}
    first, second = (getattr(probes, field.measure)(None, case) for _ in range(2))
    assert first == second
    return dict(first)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_knows_its_terms_and_can_tell_them_apart(probes: ModuleType, name: str) -> None:
    field = FIELDS[name]
    found = _measured(probes, field)
    assert sorted(found["terms"]) == sorted(field.terms)
    sizes = list(found["terms"].values())
    assert all(sizes)
    if field.kind == "choice":
        assert found["value"] in field.choices
        return
    for one, other in itertools.combinations(sizes, 2):
        larger = max(abs(one), abs(other))
        assert abs(abs(one) - abs(other)) > 0.04 * larger
        assert one + other != 0
    if field.kind == "exact":
        whole = found["value"]
        assert all(abs(abs(size) - abs(whole)) > 0.04 * abs(whole) for size in sizes)
        pairs = [abs(a + b) for a, b in itertools.combinations(sizes, 2)]
        assert all(abs(pair - abs(whole)) > 0.04 * abs(whole) for pair in pairs)


def test_the_solved_sheet_is_right_but_for_what_it_explains(probes: ModuleType) -> None:
    sheet = read_sheet(ROOT / "solutions" / "u84_precision" / "prediction.toml", UNIT)
    wrong = set()
    for name, field in FIELDS.items():
        found = _measured(probes, field)["value"]
        entry = sheet.entries[name]
        if field.kind == "text":
            continue
        if entry.value != found:
            wrong.add(name)
    assert wrong == {"softmax_dtype", "bf16_forward_bytes"}


def test_the_nearly_right_predictions_have_a_term(probes: ModuleType) -> None:
    mistakes = {
        "fp16_of_2049": {2049.0: "not_rounded", 2050.0: "tie_away_from_zero"},
        "fp16_of_65519": {65519.0: "not_rounded", 65536.0: "rounded_up"},
        "bf16_increment": {8: "tie_goes_to_even", 10: "mantissa_of_float16"},
        "clipped_update": {2.0: "unscaled_after_clipping", 5.0: "not_clipped"},
        "scale_after": {6912.0: "counter_not_reset", 9216.0: "no_backoff", 256.0: "no_growth"},
    }
    for name, cases in mistakes.items():
        found = _measured(probes, FIELDS[name])
        for predicted, term in cases.items():
            assert predicted + found["terms"][term] == pytest.approx(found["value"], rel=1e-12)
