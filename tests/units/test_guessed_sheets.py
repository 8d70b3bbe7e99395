"""What is measured for each unit's sheet does not let guesses be explained afterwards."""

from __future__ import annotations

import pytest

from grader.checks.measuring import measure_fields
from grader.course.unit import Unit
from grader.predictions.record import make_record, measured_field
from tests.guessing import guesses, share_explained
from tests.units.conftest import BenchOf
from tests.units.course import UNITS

LARGE = 1_000_000


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_guesses_of_exact_fields_cannot_be_explained(unit: Unit, bench_of: BenchOf) -> None:
    record = make_record(measure_fields(bench_of(unit), "guessed"), "guessed", {}, {})
    shares = {}
    for field in unit.fields:
        measured = measured_field(record, field.name, field.unit)
        if field.kind != "exact" or measured is None or not isinstance(measured.value, int):
            continue
        if measured.value >= LARGE:
            shares[field.name] = share_explained(field, measured, guesses(measured, None))
            rounded = share_explained(field, measured, guesses(measured, 3))
            assert rounded <= 0.02, field.name
    assert shares == dict.fromkeys(shares, 0)
