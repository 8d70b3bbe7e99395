"""The contract of a field's measurement: terms that tell one cause from another."""

import pytest

from grader.course.unit import SheetField
from grader.predictions.decomposition import decomposition_faults
from grader.predictions.record import Measured


def faults(kind, value, sizes, *, unit="B", choices=(), terms=None):
    names = tuple(sizes) if terms is None else terms
    field = SheetField("x", kind, "X", unit, choices=choices, terms=names, band=0.1)
    return list(decomposition_faults(field, Measured(value, unit, sizes)))


SOUND = {"a": 4000, "b": -2500, "c": 700}


@pytest.mark.parametrize("kind", ["exact", "band"])
def test_sizes_that_differ_and_do_not_make_up_the_whole_are_sound(kind):
    assert faults(kind, 9000, SOUND) == []
    assert faults(kind, 9000, {name: size * 1e-6 for name, size in SOUND.items()}) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"c": 0}, ["'c' has size 0"]),
        ({"c": 4000}, ["the sizes of 'a' and 'c' differ by less than 4 %"]),
        ({"c": -4000}, ["the sizes of 'a' and 'c' differ by less than 4 %", "a + c is 0"]),
        ({"c": 3840}, ["the sizes of 'a' and 'c' differ by less than 4 %"]),
        ({"c": 3839}, []),
        ({"c": 9000}, ["c is the whole value"]),
        ({"c": 5000}, ["a + c is the whole value"]),
        ({"c": 5001}, []),
    ],
)
def test_each_fault_of_an_exact_field_is_told(changes, said):
    told = faults("exact", 9000, SOUND | changes)
    assert len(told) >= len(said)
    assert bool(told) == bool(said)
    assert all(any(line.startswith(start) for line in told) for start in said), told


@pytest.mark.parametrize(("size", "sound"), [(8820, False), (9180, False), (8819, True)])
def test_a_band_is_not_explained_away_by_one_term(size, sound):
    assert (faults("band", 9000, SOUND | {"c": size}) == []) == sound
    assert faults("band", 9000, SOUND | {"c": 5000}) == []  # a band takes one term


def test_a_count_below_a_thousand_takes_one_term_so_that_pairs_do_not_matter():
    assert faults("exact", 900, {"a": 400, "b": 500}, unit="1") == []
    assert faults("exact", 1000, {"a": 400, "b": 600}, unit="1") != []


def test_the_sizes_of_a_small_count_need_only_differ():
    assert faults("exact", 12, {"a": 1, "b": -1, "c": 12}, unit="1") == []
    assert faults("exact", 12, {"a": 1, "b": 1}, unit="1") == ["'a' and 'b' have the same size"]
    assert faults("exact", 12, {"a": 0}, unit="1") == ["'a' has size 0"]
    assert faults("exact", 12, {"a": 1, "b": -1}, unit="B") != []
    assert faults("exact", 20, {"a": 1, "b": -1}, unit="1") != []


def test_nothing_is_a_measurement_of_a_count_alone():
    assert faults("exact", 0, {"a": 1}, unit="1") == []
    assert any("is 0" in said for said in faults("exact", 0, {"a": 1}))


@pytest.mark.parametrize("kind", ["exact", "band", "text"])
def test_every_name_is_measured_and_nothing_else(kind):
    (said,) = faults(kind, 9000, {"a": 4000}, terms=("a", "b"))
    assert said == "'b' is one of its terms, but is not measured"
    (said,) = faults(kind, 9000, {"a": 4000, "b": 100}, terms=("a",))
    assert said == "'b' is measured, but is not one of its terms"
    assert faults(kind, 9000, {}, terms=()) != []


def test_an_exact_field_needs_a_number_and_a_band_may_be_too_disturbed_for_one():
    assert faults("exact", None, SOUND) == ["its measure gives no number"]
    assert faults("exact", "forward", SOUND) == ["its measure gives a word where a number belongs"]
    assert faults("band", None, SOUND) == []
    field = SheetField("x", "exact", "X", "B", terms=("a",))
    assert list(decomposition_faults(field, None)) == [
        "its measure answers nothing that can be read"
    ]


def test_a_text_has_a_number_of_its_own_for_each_name():
    assert faults("text", None, SOUND) == []
    assert faults("text", None, {"a": 100, "b": 97}) != []
    assert faults("text", None, {"a": 100, "b": 0}) == ["'b' has size 0"]


CHOICES = ("gain", "null")


@pytest.mark.parametrize(
    ("value", "sizes", "terms", "said"),
    [
        ("null", {"null": 3.0, "gain": 0}, (), None),
        ("null", {"ratio": 1.0}, ("ratio",), None),
        (None, {"ratio": 1.0}, ("ratio",), None),
        ("null", {}, (), "nothing is measured that an explanation of 'null' could repeat"),
        ("null", {"gain": 3.0}, (), "nothing is measured"),
        ("null", {"ratio": 1.0}, (), "'ratio' is measured, but is neither a choice nor"),
        ("null", {"null": 1.0}, ("ratio",), "'ratio' is one of its terms, but no size"),
        ("nil", {"ratio": 1.0}, ("ratio",), "'nil', which is no choice"),
    ],
)
def test_a_choice_has_a_number_to_repeat(value, sizes, terms, said):
    told = faults("choice", value, sizes, unit="", choices=CHOICES, terms=terms)
    assert (said is None) == (told == []), told
    assert said is None or any(said in line for line in told)
