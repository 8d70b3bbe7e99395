"""Hostile bytes are refused by name, and nothing else happens."""

from __future__ import annotations

import json
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.sandbox.wire import HEAD, MAGIC, FrameReader, WireError, decode, encode


def read(data: bytes, most: int = 1 << 20) -> list[dict]:
    return list(FrameReader(most).feed(data))


def frame(header: object, payload: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return HEAD.pack(MAGIC, len(text), len(payload)) + text + payload


def message(skeleton: object, payload: bytes = b"") -> bytes:
    return frame({"v": {"d": [["x", skeleton]]}}, payload)


HONEST = b"".join(
    bytes(part)
    for part in encode({"id": 1, "value": [np.arange(6.0).reshape(2, 3), "a" * 300, [1] * 40]})
)

HOSTILE = {
    "bad-magic": [b"POST / HTTP/1.1\r\n\r\n", b"\x80\x04" + b"x" * 30],
    "header-too-long": [HEAD.pack(MAGIC, 0, 0), HEAD.pack(MAGIC, 2**32 - 1, 0)],
    "payload-too-long": [HEAD.pack(MAGIC, 2, 2**64 - 1), HEAD.pack(MAGIC, 2, (1 << 20) + 1)],
    "bad-json": [
        frame(b"\xff\xfe"), frame(b"{"), frame(b"[" * 60_000), frame(b'{"v":NaN}'),
        frame(b'{"v":' + b"9" * 5000 + b"}"), frame({"j": 3}, b"{{{"),
    ],
    "bad-header": [frame([]), frame({}), frame({"v": 1, "j": 2}), frame({"w": 1})],
    "not-a-message": [frame({"v": 1}), frame({"v": [1]})],
    "bad-number": [
        message({"f": "1e5"}), message({"f": 1}), frame(b'{"v":{"d":[["x",1e999]]}}'),
        message({"i": 5000}, b"x" * 5000), message({"i": "9"}),
    ],
    "bad-length": [
        message({"s": 5}, b"abc"), message({"b": -1}, b"abc"), message({"b": True}, b"a"),
        message({"b": 1.0}, b"a"), message({"a": ["<f8", [2]]}, b"x" * 15), frame({"j": 9}, b"1"),
        frame({"j": -1}, b"1"), frame({"j": True}, b"1"),
    ],
    "bad-dtype": [
        message({"a": ["O", [1]]}, b"x" * 8), message({"a": ["<U9", [1]]}, b"x" * 36),
        message({"a": [["<f8"], [1]]}, b"x" * 8), message({"n": "V8"}, b"x" * 8),
        message({"n": {"f": "nan"}}),
    ],
    "bad-shape": [
        message({"a": ["<f8", [-1]]}), message({"a": ["<f8", "2"]}),
        message({"a": ["<f8", [True]]}),
        message({"a": ["<f8", [0, 2**63]]}), message({"a": ["<f8", [1] * 33]}, b"x" * 8),
        message({"a": ["<f8", [2**40, 2**40, 0]]}), message({"a": ["<f8", [1.0]]}, b"x" * 8),
    ],
    "bad-list": [
        message({"p": ["<f4", 1]}, b"x" * 4), message({"p": ["<f8", 10**9]}, b"x" * 8),
        message({"p": ["<f8", -1]}), message({"p": [["<f8"], 1]}),
    ],
    "bad-tag": [
        message({"d": {}}), message({"d": [[1]]}), message({"q": 1}), message({}),
        message({"f": "nan", "b": 0}), message({"a": 3}), message({"p": ["<f8", 1, 1]}),
    ],
    "bad-key": [message({"d": [[[1], 2]]}), message({"d": [[{"b": 1}, 2]]}, b"k")],
    "bad-text": [message({"s": 2}, b"\xff\xfe"), frame(b'{"v":{"d":[["x","\\ud800"]]}}')],
    "duplicate-key": [message({"d": [["a", 1], ["a", 2]]}), message({"d": [[1, 1], [True, 2]]})],
    "trailing-bytes": [message(1, b"more"), frame({"j": 10}, b'{"d":[]}  more')],
    "too-deep": [frame(b'{"v":' + b"[" * 70 + b"]" * 70 + b"}")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data"), [(name, data) for name, many in HOSTILE.items() for data in many]
)
def test_each_broken_rule_is_refused_by_its_name(name, data):
    with pytest.raises(WireError) as caught:
        read(data)
    assert caught.value.name == name


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_or_wait_for_more(data):
    try:
        assert read(data) == []
    except WireError:
        return


@given(st.binary(max_size=400), st.binary(max_size=60))
@example(b'{"v":{"d":[["x",{"a":["<f8",[0,281474976710655]]}]]}}', b"")
@settings(deadline=None)
def test_arbitrary_headers_and_payloads_are_refused_or_read(header, payload):
    try:
        decode(header, payload)
    except WireError:
        return


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["d", "a", "<f8", "|b1", "nan", "<i8", "x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from("dfisbpan"), inner, min_size=1, max_size=1),
), st.binary(max_size=32))  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_skeletons_made_of_the_right_pieces_in_the_wrong_way_are_refused_or_read(skeleton, payload):
    try:
        decode(json.dumps({"v": {"d": [["x", skeleton]]}}).encode(), payload)
    except WireError:
        return


def test_a_frame_with_any_flipped_byte_is_refused_or_still_a_message():
    chance = random.Random(0)
    for _ in range(2000):
        data = bytearray(HONEST)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            assert all(type(found) is dict for found in read(bytes(data)))
        except WireError:
            continue


def test_a_cut_frame_gives_no_message():
    for length in range(len(HONEST)):
        assert read(HONEST[:length]) == []


def test_a_frame_may_arrive_byte_by_byte():
    reader = FrameReader()
    found = [got for i in range(len(HONEST)) for got in reader.feed(HONEST[i : i + 1])]
    assert len(found) == 1
    assert not reader.started


def test_a_promised_payload_takes_no_memory_before_it_comes():
    tracemalloc.start()
    try:
        assert read(HEAD.pack(MAGIC, 2, 200 << 20) + b"{", most=256 << 20) == []
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_bool_array_of_other_bytes_holds_only_true_and_false():
    (found,) = read(message({"a": ["|b1", [2]]}, b"\x07\x00"))
    assert found["x"].tolist() == [True, False]
    assert found["x"].tobytes() == b"\x01\x00"


def test_arrays_that_arrive_are_writable_and_own_their_memory():
    (found,) = read(HONEST)
    array = found["value"][0]
    array += 1
    assert array.flags.owndata or array.base.flags.owndata
