"""Which numbers stand in a sentence, however a person writes them."""

import math

import pytest

from grader.predictions.sentence import fault_in_form, numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the wait, .00263 s", 0.00263),
        ("the wait, 2.63 ms", 0.00263),
        ("the wait, 2.63 x 10^-3 s", 0.00263),
        ("the wait, 2.63*10**-3 s", 0.00263),
        ("the wait, 2.63\u00b710\u207b\u00b3 s", 0.00263),
        ("half a last place, 2**-24", 2.0**-24),
        ("2^20 B", 2.0**20),
        ("10\u2076 B", 1e6),
        ("21,626,880 FLOP", 21626880.0),
        ("21 626 880 FLOP", 21626880.0),
        ("9^999 of them", math.inf),
    ],
)
def test_one_number_is_read_however_it_is_written(text, value):
    ((number,),) = numbers(text)
    assert number == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("softmax takes 2**20 B", ""),
        ("softmax takes most", "write the number of softmax too, with its unit"),
        ("softmax, 8 times 524288 B", "it has 2 numbers: write the number of softmax alone"),
        ("it takes 524288 B", "name one of softmax, qkv"),
        ("softmax and qkv take 524288 B", "name one of softmax, qkv, not softmax and qkv"),
    ],
)
def test_a_text_has_one_name_and_one_number_before_it_is_sealed(text, fault):
    assert fault_in_form(text, ("softmax", "qkv")) == fault
