"""A sheet of guesses cannot be explained afterwards, whatever is known by then."""

import random

import pytest

from grader.course.unit import SheetField
from grader.errors import SheetError
from grader.predictions.decomposition import decomposition_faults
from grader.predictions.record import Measured
from grader.predictions.residual import State, judge
from grader.predictions.sheet import Entry, read_sheet
from tests.guessing import SHEETS, guesses, share_explained

FLOPS = Measured(
    40_894_464,
    "FLOP",
    {
        "layer_1": 12_582_912, "layer_2": 25_165_824, "layer_3": 3_145_728,
        "additions": 20_447_232, "biases": -106_496, "activations": -98_304,
        "other_examples": 40_574_976, "backward": -69_206_016,
    },
)  # fmt: skip
SHARE = Measured(60.4, "%", {"overlap": 27.1, "share_of_the_step": -89.6, "turned_round": 20.4})
CALLS = Measured(10, "1", {"unfinished": -1, "warmup": -3, "wait": -5, "active": -13, "every": -82})


def field(kind, measured, **more):
    return SheetField("x", kind, "X", measured.unit, terms=tuple(measured.terms), **more)


EXACT, BAND, COUNT = field("exact", FLOPS), field("band", SHARE, band=0.15), field("exact", CALLS)


@pytest.mark.parametrize(
    ("known", "measured"),
    [(EXACT, FLOPS), (BAND, SHARE), (COUNT, CALLS)],
    ids=["exact", "band", "count"],
)
def test_the_fields_that_are_attacked_here_keep_the_contract(known, measured):
    assert list(decomposition_faults(known, measured)) == []


def test_no_guess_of_an_exact_number_can_be_explained():
    assert share_explained(EXACT, FLOPS, guesses(FLOPS, None)) == 0


def test_the_search_finds_the_explanations_there_are():
    right = [f"{FLOPS.value - size}" for size in FLOPS.terms.values()]
    both = f"{FLOPS.value - FLOPS.terms['layer_1'] - FLOPS.terms['biases']}"
    rounded = [f"{int(text):.2e}" for text in (*right, f"{FLOPS.value}")]
    assert share_explained(EXACT, FLOPS, [*right, both, *rounded]) == 1


def test_hardly_any_guess_of_three_digits_can_be_explained():
    """Nine windows of a unit in the third digit, over two decades: 9 in 1800, so 2 % is ample."""
    assert share_explained(EXACT, FLOPS, guesses(FLOPS, 3)) <= 0.02


@pytest.mark.parametrize("digits", [1, 2])
def test_no_guess_of_fewer_digits_can_be_explained(digits):
    assert share_explained(EXACT, FLOPS, guesses(FLOPS, digits)) == 0


def test_few_guesses_of_a_share_can_be_explained():
    """Two windows of 4 % of 60 within 100, where the third cause lies outside: about 5 %."""
    draw = random.Random(0)
    told = [f"{draw.uniform(1, 100):.3g}" for _ in range(SHEETS)]
    assert share_explained(BAND, SHARE, told) <= 0.08


def test_few_guesses_of_a_count_can_be_explained():
    """Five of the numbers up to 99 are what five mistakes give."""
    told = [f"{number}" for number in range(1, 100)]
    assert share_explained(COUNT, CALLS, told) <= 5 / 98


def test_few_texts_of_three_guessed_numbers_are_right():
    """Three windows of 2 % over two decades: about 1.3 %."""
    why = SheetField("why", "text", "Why", terms=("layer_1", "layer_2"))
    draw = random.Random(0)

    def text():
        told = (f"{12_582_912 * 10 ** draw.uniform(-1, 1):.4g} FLOP" for _ in range(3))
        return f"layer_1: {', '.join(told)}"

    states = [
        judge(why, Entry(said, said, 1), FLOPS).state for said in (text() for _ in range(200))
    ]
    assert states.count(State.FOR_A_PERSON) <= 0.03 * SHEETS


def test_a_text_of_every_number_there_is_is_not_right():
    why = SheetField("why", "text", "Why", terms=("layer_1", "layer_2"))
    said = "layer_1: " + ", ".join(f"{1.02**n:.4g} MFLOP" for n in range(600))
    assert judge(why, Entry(said, said, 1), FLOPS).state == State.NOT_EXPLAINED


def test_a_sheet_of_zeros_is_refused(write, unit, filled):
    zeros = filled
    for old in ("21626880 FLOP", "1.6 MB", "12.5 ms", "45 %"):
        zeros = zeros.replace(f'"{old}"', f'"0 {old.split()[1]}"')
    with pytest.raises(SheetError) as caught:
        read_sheet(write(zeros), unit)
    assert len(caught.value.problems) == 4
    assert all("0 predicts nothing: write a size" in str(said) for said in caught.value.problems)
