"""The record of a measurement: plain when written, trusted for nothing when read."""

import json

import numpy as np

from grader.predictions.judging import judge_sheet, to_measure_again
from grader.predictions.record import make_record, measured_field
from grader.predictions.sheet import read_sheet


def raw_fields(**changes):
    return {
        "forward_flops": {"value": 21_626_880, "terms": {"attention": 4}, "note": ""},
        "peak": {"value": np.int64(1_600_000), "terms": {"state": np.float32(0.5)}},
        "step_time": {"value": float("nan"), "note": "too noisy"},
        "wait_share": {"value": 47.0},
        "calls": {"value": 2},
        "slowest": {
            "value": "backward",
            "terms": {"backward": 0.0126},
            "accepts": ["backward"],
            "rejects": ("data_wait", "transfer", "optimizer"),
            "note": "forward is close",
        },
        "why": {"value": None, "terms": {"arithmetic": 21_626_880, "memory": 1_600_000}},
    } | changes


def record(**changes):
    return make_record(raw_fields(**changes), "7f3a", {"torch": "2.13.0"}, {"cores": 2})


def test_a_record_is_plain_json_whatever_the_probes_gave():
    made = record(extra={"value": np.arange(3), "terms": {1: np.bool_(True)}})
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["fields"]["peak"]["value"] == 1_600_000
    assert made["fields"]["extra"] == {"value": [0, 1, 2], "terms": {"1": True}}
    assert made["fields"]["step_time"]["value"] is None
    assert made["seed"] == "7f3a"


def test_a_field_of_a_record_is_read_with_its_decomposition():
    found = measured_field(record(), "slowest", "")
    assert (found.value, found.accepts, found.terms) == (
        "backward",
        ("backward",),
        {"backward": 0.0126},
    )
    assert measured_field(record(), "peak", "B").terms == {"state": 0.5}
    assert measured_field(record(), "nothing", "B") is None


def test_nonsense_in_a_record_is_no_measurement():
    for nonsense in (True, [1], None, {"a": 1}, float("inf")):
        made = {"fields": {"peak": {"value": nonsense, "terms": nonsense, "accepts": nonsense}}}
        assert measured_field(made, "peak", "B").value is None
    assert measured_field({}, "peak", "B") is None
    assert measured_field({"fields": {"peak": 3}}, "peak", "B") is None


def test_the_whole_sheet_is_judged_in_the_units_order(write, unit, filled):
    sheet = read_sheet(write(filled), unit)
    found = judge_sheet(unit, sheet, [record()], {})
    assert {residual.field: residual.state for residual in found} == {
        "forward_flops": "exact",
        "peak": "exact",
        "step_time": "inconclusive",
        "wait_share": "within band",
        "calls": "exact",
        "slowest": "inconclusive",
        "why": "for a person",
    }
    assert [residual.field for residual in found] == [field.name for field in unit.fields]
    assert to_measure_again(found) == ("step_time", "slowest")


def test_the_same_records_always_give_the_same_judgement(write, unit, filled):
    sheet = read_sheet(write(filled), unit)
    kept = json.loads(json.dumps(record()))
    assert judge_sheet(unit, sheet, [kept], {}) == judge_sheet(unit, sheet, [record()], {})


def test_a_later_record_speaks_only_where_the_first_was_inconclusive(write, unit, filled):
    sheet = read_sheet(write(filled), unit)
    later = record(
        forward_flops={"value": 1},
        step_time={"value": 0.0125},
        wait_share={"value": 99.0},
        slowest={"value": "forward", "accepts": ["forward"]},
    )
    found = {r.field: r.state for r in judge_sheet(unit, sheet, [record(), later], {})}
    assert found["forward_flops"] == "exact"
    assert found["wait_share"] == "within band"
    assert found["step_time"] == "exact"
    assert found["slowest"] == "exact"


def test_a_second_record_of_the_inconclusive_fields_alone_is_enough(write, unit, filled):
    sheet = read_sheet(write(filled), unit)
    later = {"fields": {"step_time": {"value": 0.0125}}}
    found = {r.field: r.state for r in judge_sheet(unit, sheet, [record(), later], {})}
    assert found["step_time"] == "exact"
    assert found["slowest"] == "inconclusive"


def test_without_a_record_nothing_is_judged_but_what_is_blank(write, unit, filled):
    sheet = read_sheet(write(filled.replace("calls = 2\n", "")), unit)
    found = {r.field: (r.state, r.message) for r in judge_sheet(unit, sheet, [], {})}
    assert found["calls"] == ("not explained", "it was left blank")
    assert found["peak"] == ("inconclusive", "it was not measured")
    nothing = judge_sheet(unit, None, [record()], {})
    assert {r.message for r in nothing} == {"it was left blank"}


def test_a_text_repeats_the_numbers_of_its_own_measure_and_no_others(write, unit, filled):
    for text, state in (
        ("The arithmetic: 21.6 MFLOP.", "for a person"),
        ("The arithmetic: 12.6 ms.", "not explained"),  # the number of another field
        ("The memory: 21.6 MFLOP.", "not explained"),
    ):
        sheet = read_sheet(write(filled.replace("It is the arithmetic, 21.6 MFLOP.", text)), unit)
        assert judge_sheet(unit, sheet, [record()], {})[-1].state == state
