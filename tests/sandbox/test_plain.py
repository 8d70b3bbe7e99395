"""What is plain data, what is not, and how it is said."""

from __future__ import annotations

import collections
import enum
import math
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.sandbox.plain import DTYPES, NotPlainError, place
from grader.sandbox.wire import FrameReader, encode

DTYPE = st.sampled_from([np.dtype(name) for name in DTYPES])
ARRAYS = DTYPE.flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
    )
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.integers(-(2**400), 2**400)
    | st.floats() | st.text() | st.text(min_size=300, max_size=400) | st.binary(max_size=64)
    | ARRAYS | DTYPE.flatmap(hnp.from_dtype)
)  # fmt: skip
KEYS = st.text(max_size=8) | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
PLAIN = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5)
)
LONG = (
    st.lists(st.integers(), min_size=32) | st.lists(st.floats(), min_size=32)
    | st.lists(st.booleans(), min_size=32) | st.lists(st.integers() | st.floats(), min_size=32)
)  # fmt: skip


def round_trip(value: Any) -> Any:
    frame = b"".join(bytes(part) for part in encode({"value": value}))
    (message,) = FrameReader().feed(frame)
    return message["value"]


def same(a: Any, b: Any) -> bool:
    """Equal in kind as well as in value; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        same_bytes = np.asarray(a).tobytes() == np.asarray(b).tobytes()
        return a.dtype == b.dtype and a.shape == b.shape and same_bytes
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(map(repr, a)) == list(map(repr, b)) and all(map(same, a.values(), b.values()))
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1, a) == math.copysign(1, b)
        )
    return bool(a == b)


@given(PLAIN | LONG)
@settings(deadline=None, max_examples=200)
def test_plain_data_arrives_with_its_kind_and_its_value(value):
    assert same(round_trip(value), value)


class Shade(enum.StrEnum):
    DARK = "dark"


class LyingText(str):
    __slots__ = ()

    def __str__(self):
        return "lie"

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    ("value", "arrives_as"),
    [
        ((1, 2), [1, 2]),
        (collections.namedtuple("P", "x y")(1.0, 2), [1.0, 2]),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.defaultdict(int, a=1), {"a": 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (np.arange(6, dtype=">i4").reshape(2, 3), np.arange(6, dtype="<i4").reshape(2, 3)),
        (np.arange(6.0).reshape(2, 3).T, np.arange(6.0).reshape(2, 3).T.copy()),
        (-0.0, -0.0),
        (np.array(["a", "bc"]), ["a", "bc"]),
        (np.array("a"), "a"),
        (np.array(["a", "b"])[1], "b"),
        (Shade.DARK, "dark"),
        (LyingText("honest"), "honest"),
        ({np.str_("a"): 1, np.int64(3): 2}, {"a": 1, 3: 2}),
        (Fraction(1, 4), 0.25),
        (Fraction(2**1100), 2**1100),
        (Path("a") / "b", "a/b"),
    ],
)
def test_relatives_of_plain_data_arrive_as_their_plain_kin(value, arrives_as):
    assert same(round_trip(value), arrives_as)


class Liar(dict):
    def items(self):
        return [("loss", 0.0)]


class MyFloat(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class Colour(enum.IntEnum):
    RED = 1


class LyingPoint(collections.namedtuple("LyingPoint", "x")):
    def __iter__(self):
        return iter([99])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"loss": MyFloat(1)}, "value['loss'] is a MyFloat, which is not plain data"),
        ([Fraction(10**400, 3)], "value[0] is a Fraction that no float can hold"),
        ([1, {2: {3}}], "value[1][2] is a set, which is not plain data"),
        (Liar(), "value is a Liar, which is not plain data"),
        (Colour.RED, "value is a Colour, which is not plain data"),
        (
            np.array(["2020-01-01"], "M8[D]"),
            "value has the dtype datetime64[D], which is not plain",
        ),
        (np.array([None]), "value has the dtype object, which is not plain data"),
        (np.ma.masked_array([1]), "value is a MaskedArray, which is not plain data"),
        (np.longdouble(1), f"value has the dtype {np.dtype(np.longdouble)}, which"),
        ({(1, 2): 3}, "value has a key that is a tuple, not a string or number"),
        (2 ** (8 * 1700), "value is an integer of more than 4000 digits"),
        ("\ud800", "value is a string that is not valid Unicode text"),
        (types.SimpleNamespace(), "value is a SimpleNamespace, which is not plain data"),
        ([print], "value[0] is a builtin_function_or_method, which is not plain data"),
    ],
)
def test_what_is_not_plain_is_named_with_its_place(value, words):
    with pytest.raises(NotPlainError) as caught:
        round_trip(value)
    text = place("value", caught.value.path[1:]) + " " + caught.value.what
    assert text.startswith(words)


def test_a_tuple_that_lies_when_iterated_is_read_by_its_base_class():
    assert round_trip(LyingPoint(1)) == [1]


def test_data_that_contains_itself_is_refused_and_not_followed_for_ever():
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotPlainError, match="nested deeper than 64 levels"):
        round_trip(loop)


def test_an_answer_beyond_the_cap_is_refused_before_it_is_sent():
    with pytest.raises(NotPlainError, match="larger than 1 MiB"):
        encode({"value": np.zeros(1 << 18)}, most=1 << 20)


def test_a_trace_of_many_small_events_fits_although_its_skeleton_does_not_fit_the_header():
    events = [{"name": f"op{i}", "ts": i * 1.5, "dur": i, "args": None} for i in range(5000)]
    assert round_trip(events) == events
