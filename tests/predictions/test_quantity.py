"""Quantities: what is read, what is refused, and in which words."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.predictions.quantity import QuantityError, parse, parse_number, show
from grader.predictions.units import FAMILIES

PAIRS = [(family, unit) for family, units in FAMILIES.items() for unit in units]


def refusal(text, unit):
    with pytest.raises(QuantityError) as caught:
        parse(text, unit)
    return str(caught.value)


@given(
    pair=st.sampled_from(PAIRS),
    digits=st.integers(0, 10**9),
    decimals=st.integers(0, 6),
    exponent=st.integers(-3, 6),
    gap=st.sampled_from(["", " ", "   "]),
)
def test_a_decimal_number_with_a_unit_has_the_value_arithmetic_gives(
    pair, digits, decimals, exponent, gap
):
    family, unit = pair
    number = f"{digits // 10**decimals}" + (
        f".{digits % 10**decimals:0{decimals}d}" if decimals else ""
    )
    exact = Fraction(digits, 10**decimals) * Fraction(10) ** exponent * FAMILIES[family][unit]
    got = parse(f"{number}e{exponent}{gap}{unit}", family).value
    assert got == (int(exact) if exact.denominator == 1 else float(exact))
    assert isinstance(got, int) == (exact.denominator == 1)


@given(value=st.integers(0, 10**24), pair=st.sampled_from(PAIRS))
def test_spellings_of_one_quantity_to_as_many_digits_share_their_canonical_form(value, pair):
    family, unit = pair
    size = FAMILIES[family][unit]
    if size < 1 or value * size > 10**30:
        return
    one = parse(f"{value} {unit}", family)
    other = parse(f"{int(value * size)} {'' if family == '1' else family}", family)
    assert one.value == other.value
    assert (one.canonical == other.canonical) == (one.digits == other.digits)


def test_the_canonical_form_says_how_many_digits_were_written():
    assert parse("21.6 MFLOP", "FLOP").canonical == "21600000 FLOP to 3 digits"
    assert parse("21600000 FLOP", "FLOP").canonical == "21600000 FLOP to 8 digits"
    assert parse("0.0125 s", "s").canonical == parse("12.5 ms", "s").canonical
    assert parse("2", "1").canonical == "2 to 1 digit"


@given(value=st.integers(-(10**30), 10**30))
def test_whole_numbers_stay_exact_however_large(value):
    assert parse(f"{value} B", "B").value == value
    assert parse_number(value, "1").value == value


@given(value=st.floats(1e-12, 1e12))
def test_floats_survive_the_text_they_are_written_as(value):
    assert parse_number(value, "1").value == value
    assert parse(f"{value!r} s", "s").value == value


@given(text=st.text(max_size=80), unit=st.sampled_from(sorted(FAMILIES)))
def test_no_text_gets_past_the_grammar_or_breaks_the_parser(text, unit):
    try:
        got, said = parse(text, unit), ""
    except QuantityError as error:
        got, said = None, str(error)
    assert said.isprintable()
    assert (got is None) == bool(said)
    assert got is None or (got.text.isascii() and abs(got.value) <= 10**30)


def test_mega_is_a_million_and_mebi_two_to_the_twentieth():
    assert parse("1.6 MB", "B").value == 1_600_000
    assert parse("1 MiB", "B").value == 1_048_576


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("1.6 Mb", "B", "1.6 Mb: unit 'Mb' is not known, did you mean MB?"),
        ("3 kb", "B", "did you mean kB?"),
        ("3 Mib", "B", "did you mean MiB?"),
        ("3 bytes", "B", "did you mean B?"),
        ("3 GFLOPs", "FLOP", "did you mean GFLOP?"),
        ("3 gflop", "FLOP", "did you mean GFLOP?"),
        ("3 sec", "s", "did you mean s?"),
        ("3 \u00b5s", "s", "did you mean us?"),
        ("7B params", "B", "unit 'B params' is not known, did you mean B alone?"),
        ("7B params", "1", "this field takes a plain number"),
        ("3 parsecs", "B", "use one of B, kB, MB"),
        ("12 ms", "B", "'ms' is a unit of time, this field takes bytes"),
        ("12 B", "1", "'B' is a unit of bytes, this field takes a plain number"),
        ("12", "B", "the unit is missing, use one of B"),
        ("45", "%", "the unit is missing, use %"),
        ("nan", "B", "not a finite number"),
        ("-Infinity s", "s", "not a finite number"),
        ("1_000 B", "B", "leave out the '_'"),
        ("1,597,480 B", "B", "leave out the commas between thousands"),
        ("1,6 MB", "B", "write the decimal point as '.'"),
        ("1 597 480 B", "B", "leave out the spaces between digits"),
        (".5 ms", "s", "a digit is missing"),
        ("5. ms", "s", "a digit is missing"),
        ("~5 ms", "s", "without a sign of comparison"),
        ("1e99999 B", "B", "the exponent is too large"),
        ("1e999 B", "B", "is too large to be meant"),
        ("1e-400 s", "s", "is too small to be meant"),
        ("\uff11 MB", "B", "U+FF11 (fullwidth digit one) does not belong there"),
        ("1.6 \u041cB", "B", "U+041C (cyrillic capital letter em)"),
        ("1.6 MB and a bit", "B", "did you mean MB alone?"),
        ("", "B", "there is no quantity here"),
        ("12 to 15 ms", "s", "is not one number with one unit"),
        ("9" * 5000, "B", "longer than a quantity can be"),
        ("5 \x1b[31mMB", "B", "5 \\x1b[31mMB"),
    ],
)
def test_what_is_no_quantity_is_refused_in_words_that_help(text, unit, said):
    assert said in refusal(text, unit)


@pytest.mark.parametrize(
    ("number", "unit", "said"),
    [
        (12, "B", '12 has no unit; write a text with one, such as "1234567 B"'),
        (float("nan"), "1", "not a finite number"),
        (float("inf"), "B", "not a finite number"),
        (10**31, "1", "too large to be meant"),
    ],
)
def test_a_bare_number_is_only_for_finite_counts(number, unit, said):
    with pytest.raises(QuantityError, match=said):
        parse_number(number, unit)


def test_a_quantity_knows_how_finely_it_was_written():
    coarse, fine = parse("1.60 MB", "B"), parse("1600000 B", "B")
    assert (coarse.digits, coarse.half_digit) == (3, 5000.0)
    assert (fine.digits, fine.half_digit) == (7, 0.5)


@pytest.mark.parametrize(
    ("value", "unit", "signed", "shown"),
    [
        (1597480, "B", False, "1597480 B"),
        (1602112, "B", True, "+1602112 B"),
        (-24, "B", True, "-24 B"),
        (0.0126, "s", False, "12.6 ms"),
        (3e-10, "s", False, "0.3 ns"),
        (90.5, "s", False, "90.5 s"),
        (0.0, "s", False, "0 s"),
        (1677721.6, "B", False, "1677721.6 B"),
        (12.5, "%", True, "+12.5 %"),
        (4, "1", False, "4"),
    ],
)
def test_values_are_shown_as_people_write_them(value, unit, signed, shown):
    assert show(value, unit, signed=signed) == shown
