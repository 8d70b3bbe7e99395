"""A prediction against its measurement: what is exact, what is explained, and what is not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.unit import SheetField
from grader.predictions.discrepancy import Explanation, Term
from grader.predictions.quantity import parse
from grader.predictions.record import Measured
from grader.predictions.residual import Numbers, State, judge
from grader.predictions.series import Bar, Bars
from grader.predictions.sheet import Entry

BYTES = SheetField("peak", "exact", "Bytes at the peak", "B", terms=("state", "grads", "batch"))
TIME = SheetField("step", "band", "Time of a step", "s", terms=("copies", "syncs"), band=0.2)
CALLS = SheetField("calls", "exact", "Calls", "1", terms=("extra", "window"))
PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
SLOWEST = SheetField("slowest", "choice", "The slowest phase", choices=PHASES)
GAIN = SheetField("gain", "choice", "Gain or null", choices=("gain", "null"), terms=("launch",))
WHY = SheetField("why", "text", "Why", terms=("arithmetic", "memory traffic", "launch"))


def entry(text, unit):
    quantity = parse(text, unit)
    return Entry(quantity.value, quantity.text, 1, quantity)


def words(text):
    return Entry(text, text, 1)


def terms(**amounts):
    return Explanation("peak", tuple(Term(name, n, f"{n} B") for name, n in amounts.items()))


def because(text):
    return Explanation("any", because=text)


def peak(predicted, measured, explanation=None, **sizes):
    found = Measured(measured, "B", sizes)
    return judge(BYTES, entry(predicted, "B"), found, explanation)


def step(predicted, measured, explanation, **sizes):
    return judge(TIME, entry(predicted, "s"), Measured(measured, "s", sizes), explanation)


def amounts(**written):
    """Return an explanation whose amounts are written as texts, with or without a sign."""
    found = {name: parse(text, "B").value for name, text in written.items()}
    return Explanation("peak", tuple(Term(name, found[name], written[name]) for name in written))


def test_an_equal_number_is_exact():
    found = peak("1597480 B", 1597480)
    assert (found.state, found.residual_text, found.terms) == ("exact", "", ())
    assert (found.predicted_text, found.measured_text) == ("1597480 B", "1597480 B")


def test_one_byte_off_is_not_exact():
    found = peak("1597480 B", 1597481)
    assert (found.state, found.residual_text) == ("not explained", "+1 B")
    assert found.message.startswith("name its terms in discrepancy.toml; its names: state")


@given(value=st.integers(1, 10**24), other=st.integers(1, 10**24))
def test_whole_numbers_are_compared_exactly_however_large(value, other):
    assert (peak(f"{value} B", other).state == "exact") == (value == other)


def test_a_measured_float_is_exact_up_to_rounding_noise():
    share = SheetField("share", "exact", "A share", "1")
    assert judge(share, entry("0.3", "1"), Measured(0.1 + 0.2, "1")).state == "exact"
    assert judge(share, entry("0.3", "1"), Measured(0.3001, "1")).state == "not explained"


def test_a_gap_whose_terms_add_up_is_explained():
    found = peak("1000 B", 4000, terms(state=2000, grads=1000), state=2000, grads=1000, batch=70)
    assert (found.state, found.residual_text) == ("explained", "+3000 B")
    assert [(t.name, t.believed) for t in found.terms] == [("state", True), ("grads", True)]


@pytest.mark.parametrize(
    ("amount", "believed"), [(1020, True), (1021, False), (980, True), (979, False)]
)
def test_a_term_is_believed_within_two_percent_of_its_measured_size(amount, believed):
    found = peak("1000 B", 2000, terms(state=amount), state=1000)
    assert found.terms[0].believed == believed
    assert (found.state == "explained") == believed


@pytest.mark.parametrize(("gap", "explained"), [(1000, True), (1001, False), (999, False)])
def test_an_exact_field_is_explained_to_the_last_byte(gap, explained):
    found = peak("1000 B", 1000 + gap, terms(state=1000), state=1000)
    assert found.terms[0].believed
    assert (found.state == "explained") == explained
    assert explained or "with the named terms added is not what was measured" in found.message


@given(size=st.integers(1000, 10**15), amount=st.integers(1, 10**15))
def test_the_edge_of_two_percent_is_where_integers_say(size, amount):
    found = peak("1 B", 1 + size, terms(state=amount), state=size)
    assert (found.state == "explained") == (50 * abs(amount - size) <= size)


@given(
    sizes=st.lists(st.integers(1, 10**6) | st.integers(-(10**6), -1), min_size=3, max_size=3),
    taken=st.sets(st.integers(0, 2), min_size=1),
    named=st.sets(st.integers(0, 2), min_size=1),
)
def test_one_or_two_terms_hold_exactly_when_the_corrected_prediction_is_the_measurement(
    sizes, taken, named
):
    names, predicted = BYTES.terms, 10**7
    value = predicted + sum(sizes[i] for i in taken)
    told = terms(**{names[i]: sizes[i] for i in named})
    found = peak(f"{predicted} B", value, told, **dict(zip(names, sizes, strict=True)))
    right = predicted + sum(sizes[i] for i in named) == value
    if value != predicted:
        assert (found.state == "explained") == (right and len(named) <= 2)


def test_three_terms_are_never_an_explanation():
    sizes = {"state": 2000, "grads": 1000, "batch": 500}
    found = peak("1000 B", 4500, terms(**sizes), **sizes)
    assert found.state == "not explained"
    assert "name at most two terms" in found.message


def test_a_small_count_takes_one_term_alone():
    sizes = {"extra": -1, "window": 4}
    told = Explanation("calls", (Term("extra", -1, "-1"), Term("window", 4, "4")))
    found = judge(CALLS, entry("9", "1"), Measured(12, "1", sizes), told)
    assert (found.state, "name at most one term" in found.message) == ("not explained", True)
    many = Measured(1002, "1", sizes)
    assert judge(CALLS, entry("999", "1"), many, told).state == "explained"
    share = SheetField("share", "exact", "A share", "%", terms=("extra", "window"))
    measured = Measured(12.25, "%", {"extra": -1, "window": 4})
    assert judge(share, entry("9.25 %", "%"), measured, told).state == "explained"
    alone = Explanation("calls", (Term("window", 4, "4"),))
    assert judge(CALLS, entry("8", "1"), Measured(12, "1", sizes), alone).state == "explained"


def test_a_term_that_is_named_twice_does_not_count_twice():
    twice = Explanation("peak", (Term("state", 500, "500 B"), Term("state", 500, "500 B")))
    found = peak("1000 B", 2000, twice, state=500)
    assert (found.state, "each term once" in found.message) == ("not explained", True)


def test_one_wrong_amount_spoils_an_explanation_that_adds_up():
    found = peak("1000 B", 4000, terms(state=2500, grads=500), state=2000, grads=1000)
    assert found.state == "not explained"
    assert found.message.startswith("not believed: state, grads;")
    assert "2000" not in str(found)


def test_a_term_that_was_not_measured_is_not_believed():
    found = peak("1000 B", 3000, terms(state=2000), grads=2000)
    assert found.state == "not explained"
    assert found.terms[0].message == "it is no part of what was measured"


def test_a_term_of_size_zero_explains_nothing():
    found = peak("1000 B", 3000, terms(state=2000, batch=0), state=2000, batch=0)
    assert not found.terms[1].believed
    assert found.state == "not explained"


@pytest.mark.parametrize(
    ("written", "explained"), [("-500 B", True), ("500 B", True), ("+500 B", False)]
)
def test_a_sign_may_be_left_out_but_not_be_wrong(written, explained):
    found = peak("2000 B", 1500, amounts(state=written), state=-500)
    assert (found.state == "explained", found.residual_text) == (explained, "-500 B")
    assert explained or "its sign is the other one" in found.terms[0].message
    turned = peak("1000 B", 1500, amounts(state="-500 B"), state=500)
    assert (turned.state, turned.terms[0].believed) == ("not explained", False)


def test_the_measurement_gives_the_sign_and_not_the_student():
    sizes = {"state": 800, "grads": -300}
    assert peak("1000 B", 1500, terms(state=800, grads=-300), **sizes).state == "explained"
    wrong = amounts(state="800 B", grads="+300 B")
    assert peak("1000 B", 1500, wrong, **sizes).state == "not explained"
    unsigned = amounts(state="800 B", grads="300 B")
    assert peak("1000 B", 1500, unsigned, **sizes).state == "explained"
    assert peak("1000 B", 2100, unsigned, **sizes).state == "not explained"
    assert peak("3000 B", 2500, unsigned, state=-800, grads=300).state == "explained"


def test_rounding_explains_what_was_left_out_of_three_digits():
    assert peak("1.60 MB", 1597480, terms(rounding=2520)).state == "explained"
    assert peak("1.60 MB", 1597480, terms(rounding=-2520)).state == "explained"
    assert peak("1.60 MB", 1597480, terms(rounding=9000)).state == "not explained"
    assert peak("1.60 MB", 1605000, terms(rounding=5000)).state == "explained"
    assert peak("1.60 MB", 1605001, terms(rounding=5001)).state == "not explained"
    coarse = peak("1.6 MB", 1597480, terms(rounding=2520))
    assert coarse.state == "not explained"
    assert "3 or more digits" in coarse.terms[0].message


def test_rounding_is_one_of_the_two_terms():
    sizes = {"state": 200_000, "grads": 100_000}
    told = terms(state=200_000, rounding=-2520)
    assert peak("1.40 MB", 1597480, told, **sizes).state == "explained"
    assert peak("1.40 MB", 1606000, told, **sizes).state == "not explained"
    assert peak("1.40 MB", 1600000, told, **sizes).state == "not explained"  # nothing is left
    three = terms(state=200_000, grads=100_000, rounding=-2520)
    assert peak("1.30 MB", 1597480, three, **sizes).state == "not explained"
    alone = terms(state=200_000)
    assert peak("1.40 MB", 1597480, alone, **sizes).state == "not explained"


@pytest.mark.parametrize(
    ("predicted", "explained"),
    [("5 ms", True), ("4.8 ms", True), ("5.2 ms", True), ("4.79 ms", False), ("5.21 ms", False)],
)
def test_a_band_is_explained_by_one_term_within_two_percent_of_the_measurement(
    predicted, explained
):
    told = Explanation("step", (Term("copies", 0.005, "5 ms"),))
    found = step(predicted, 0.01, told, copies=0.005, syncs=0.001)
    assert (found.state == "explained") == explained


def test_a_band_takes_neither_two_terms_nor_rounding():
    sizes = {"copies": 0.004, "syncs": 0.001}
    two = Explanation("step", (Term("copies", 0.004, "4 ms"), Term("syncs", 0.001, "1 ms")))
    assert step("5 ms", 0.01, two, **sizes).state == "not explained"
    rounding = Explanation("step", (Term("rounding", 0.005, "5 ms"),))
    found = step("5.00 ms", 0.01, rounding, **sizes)
    assert found.state == "not explained"
    assert found.message.endswith("its names: copies, syncs")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("10.001 ms", "within band"),
        ("12 ms", "within band"),
        ("8 ms", "within band"),
        ("12.1 ms", "not explained"),
        ("7.9 ms", "not explained"),
    ],
)
def test_a_banded_number_is_right_within_its_band(text, state):
    found = judge(TIME, entry(text, "s"), Measured(0.01, "s"))
    assert (found.state, found.measured_text) == (state, "10 ms")


def test_a_banded_number_that_is_equal_is_exact():
    assert judge(TIME, entry("10 ms", "s"), Measured(0.01, "s")).state == "exact"


@pytest.mark.parametrize("kind", ["exact", "band", "choice", "text"])
def test_a_blank_field_is_not_explained_and_says_why(kind):
    field = SheetField("x", kind, "X", "B", choices=("a", "b"))
    found = judge(field, None, Measured(12, "B"))
    assert (found.state, found.message) == ("not explained", "it was left blank")
    assert found.predicted_text == ""


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (None, "it was not measured"),
        (Measured(None), "it was not measured"),
        (Measured(None, note="the machine was too busy"), "the machine was too busy"),
        (Measured("forward"), "the measurement gave no number"),
    ],
)
def test_what_was_not_measured_is_inconclusive_with_the_reason(measured, said):
    found = judge(BYTES, entry("1 B", "B"), measured)
    assert (found.state, found.message) == ("inconclusive", said)


SHARES = {"data_wait": 0.002, "forward": 0.0060, "backward": 0.0126, "optimizer": 0.0011}
PHASE_RECORD = Measured(
    "backward",
    terms=SHARES,
    accepts=("backward",),
    rejects=("data_wait", "transfer", "optimizer"),
    note="forward is too close to backward",
)


def slowest(choice, text=""):
    return judge(SLOWEST, words(choice), PHASE_RECORD, because(text))


def test_an_accepted_choice_is_exact_a_rejected_one_not_and_between_it_is_inconclusive():
    assert slowest("backward").state == "exact"
    wrong = slowest("optimizer")
    assert (wrong.state, wrong.residual_text) == ("not explained", "measured: backward")
    assert "say why" in wrong.message
    between = slowest("forward")
    assert (between.state, between.message) == (
        "inconclusive",
        "forward is too close to backward",
    )


def test_a_choice_that_is_not_told_from_the_measured_one_is_accepted_as_that():
    both = replace(PHASE_RECORD, accepts=("backward", "forward"))
    found = judge(SLOWEST, words("forward"), both)
    assert (found.state, found.measured_text) == ("exact", "backward or forward")
    assert found.message == "accepted: backward and forward are not told apart"


@pytest.mark.parametrize(
    "text",
    [
        "The backward pass took 12.6 ms, and not the optimizer.",
        "backward: 0.0126 s",
        "Backward needs 12.7ms.",
        "It was BACKWARD with 12,600 us",
    ],
)
def test_a_wrong_choice_is_explained_by_the_measured_one_and_its_number(text):
    assert slowest("optimizer", text).state == "explained"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "say why"),
        ("It was slower.", "name backward"),
        ("backwardness 12.6 ms", "name backward"),
        ("backward, I think", "does not give the measured number of backward within 1 %"),
        ("backward took 13 ms", "does not give the measured number of backward within 1 %"),
        ("backward took 6.0 ms", "does not give the measured number of backward within 1 %"),
        ("backward or forward took 12.6 ms", "name backward alone, beside your own choice"),
        (
            "data wait, transfer, forward, backward or optimizer took 12.6 ms",
            "and not data_wait or transfer or forward",
        ),
        ("backward: 10 ms, 11 ms, 12 ms or 12.6 ms", "it gives 4 numbers of about that size"),
    ],
)
def test_a_sentence_about_a_wrong_choice_must_name_and_repeat(text, said):
    found = slowest("optimizer", text)
    assert found.state == "not explained"
    assert said in found.message


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("backward took 12.72 ms", "explained"),
        ("backward took 12.73 ms", "not explained"),
        ("backward took 12.48 ms", "explained"),
        ("backward took 12.47 ms", "not explained"),
    ],
)
def test_a_number_is_repeated_when_it_is_within_one_percent(text, state):
    assert slowest("optimizer", text).state == state


def test_a_choice_without_verdict_bands_is_judged_by_its_value():
    plain = Measured("null", terms={"launch": 1.004})
    assert judge(GAIN, words("null"), plain).state == "exact"
    assert judge(GAIN, words("gain"), plain).state == "not explained"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("null: launch was 1.00", "explained"),
        ("no gain but null, for launch is 1.00", "explained"),
        ("null: 1.00", "not explained"),
        ("null, for launch", "not explained"),
        ("null: launch or sync, 1.00", "not explained"),
        ("null: sync is 1.00", "not explained"),
    ],
)
def test_a_choice_without_a_number_of_its_own_names_one_cause_with_its_number(text, state):
    both = Measured("null", terms={"launch": 1.004, "sync": 7})
    field = replace(GAIN, terms=("launch", "sync"))
    assert judge(field, words("gain"), both, because(text)).state == state


def test_a_choice_with_nothing_to_repeat_is_inconclusive():
    found = judge(GAIN, words("gain"), Measured("null"), because("It was null."))
    assert found.state == "inconclusive"


NUMBERS = Measured(None, terms={"arithmetic": 0.0126, "memory traffic": 1597480, "launch": 48})


@pytest.mark.parametrize(
    ("sheet", "state"),
    [
        ("Arithmetic took 12.6 ms.", "for a person"),
        ("It is memory-traffic: 1.6 MB.", "for a person"),
        ("It is memory_traffic: 1 597 480 B.", "for a person"),
        ("Memory traffic, 1.6M", "for a person"),
        ("Launch: 48 kernels", "for a person"),
        ("Arithmetic, 1.26 x 10^-2 s", "for a person"),
        ("Arithmetic took .0126 s", "for a person"),
        ("Launch: 48 kernels of 3 us, 12 of 9 ns", "not explained"),
        ("Arithmetic took 15 ms.", "not explained"),
        ("Arithmetic took 1.6 MB.", "not explained"),
        ("It took 12.6 ms.", "not explained"),
        ("Arithmetic, not launch: 12.6 ms.", "not explained"),
        ("Arithmetic: 5 ms, 9 ms, 12 ms or 12.6 ms.", "not explained"),
        ("Arithmetic: 9 ms in 16 bit, 12 ms in 32 bit, now 12.6 ms.", "not explained"),
    ],
)
def test_a_text_names_one_cause_and_repeats_its_number_before_a_person_reads_it(sheet, state):
    assert judge(WHY, words(sheet), NUMBERS).state == state


def test_a_text_stands_as_it_was_sealed():
    told = because("Arithmetic took 12.6 ms.")
    assert judge(WHY, words("Arithmetic took 15 ms."), NUMBERS, told).state == "not explained"
    told = because("Launch took 12.6 ms, 1 ms, 2 ms, 3 ms.")
    assert judge(WHY, words("Arithmetic took 12.6 ms."), NUMBERS, told).state == "for a person"


def test_digits_in_a_name_are_no_numbers():
    field = SheetField("why", "text", "Why", terms=("layer_48", "layer_48_head"))
    found = Measured(None, terms={"layer_48": 48, "layer_48_head": 100})
    assert judge(field, words("It is layer 48."), found).state == "not explained"
    assert judge(field, words("It is layer 48 with 48."), found).state == "for a person"
    assert judge(field, words("layer_48_head: 48"), found).state == "not explained"
    assert judge(field, words("layer_48_head: 100"), found).state == "for a person"


def test_a_text_with_nothing_measured_to_repeat_is_inconclusive():
    assert judge(WHY, words("Arithmetic."), Measured(None)).state == "inconclusive"
    assert judge(WHY, words("Arithmetic."), None).state == "inconclusive"


def test_a_number_is_given_with_its_measurement_and_the_sizes_of_believed_causes():
    found = peak("1000 B", 1600, terms(state=600), state=600)
    assert found.numbers == Numbers("B", 1000, 1600)
    assert [term.size for term in found.terms] == [600]


def test_the_size_of_a_cause_that_is_not_believed_is_not_told():
    found = peak("1000 B", 1600, terms(state=900), state=600)
    assert [(term.believed, term.size) for term in found.terms] == [(False, None)]


def test_the_series_of_a_measurement_is_kept_unless_a_gap_waits_to_be_explained():
    series = Bars("Phases", "s", "", (Bar("forward", 1.0),))
    measured = Measured("forward", terms={"forward": 1.0}, series=series)
    right = judge(SLOWEST, words("forward"), measured)
    wrong = judge(SLOWEST, words("backward"), measured)
    explained = judge(SLOWEST, words("backward"), measured, because("forward is it, with 1 s"))
    assert (right.state, right.series) == (State.EXACT, series)
    assert (wrong.state, wrong.series) == (State.NOT_EXPLAINED, None)
    assert (explained.state, explained.series) == (State.EXPLAINED, series)
