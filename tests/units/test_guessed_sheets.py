"""What is measured for each unit's sheet does not let guesses be explained afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.checks.measuring import measure_fields
from grader.course.unit import SheetField, Unit
from grader.predictions.record import Measured, make_record, measured_field
from tests.guessing import fields_met, guesses, share_explained
from tests.units.conftest import BenchOf
from tests.units.course import UNITS

LARGE = 1_000_000
FEWEST_COUNTS = 3
CONSTANTS = range(1, 21)

SheetOf = Callable[[Unit], dict[SheetField, Measured]]


@pytest.fixture(scope="module")
def whole_numbers_of(bench_of: BenchOf) -> SheetOf:
    """Return the exact fields of a unit that are whole numbers, each measured once."""
    known: dict[str, dict[SheetField, Measured]] = {}

    def whole_numbers_of(unit: Unit) -> dict[SheetField, Measured]:
        if unit.id not in known:
            record = make_record(measure_fields(bench_of(unit), "guessed"), "guessed", {}, {})
            answers = {
                field: measured_field(record, field.name, field.unit)
                for field in unit.fields
                if field.kind == "exact"
            }
            known[unit.id] = {
                field: measured
                for field, measured in answers.items()
                if measured is not None and isinstance(measured.value, int)
            }
        return known[unit.id]

    return whole_numbers_of


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_guesses_of_exact_fields_cannot_be_explained(unit: Unit, whole_numbers_of: SheetOf) -> None:
    shares = {}
    for field, measured in whole_numbers_of(unit).items():
        assert isinstance(measured.value, int)
        if measured.value >= LARGE:
            shares[field.name] = share_explained(field, measured, guesses(measured, None))
            rounded = share_explained(field, measured, guesses(measured, 3))
            assert rounded <= 0.02, field.name
    assert shares == dict.fromkeys(shares, 0)


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_one_number_for_all_counts_is_not_met_in_most(
    unit: Unit, whole_numbers_of: SheetOf
) -> None:
    counts = {
        field: measured for field, measured in whole_numbers_of(unit).items() if field.unit == "1"
    }
    tried = CONSTANTS if len(counts) >= FEWEST_COUNTS else ()  # one or two are no pattern
    met = {constant: fields_met(counts, constant) for constant in tried}
    assert {c: names for c, names in met.items() if 2 * len(names) > len(counts)} == {}
