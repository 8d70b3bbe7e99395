"""Reading exported traces, and refusing what no viewer shows."""

import gzip

import pytest
from compact.trainer import PHASES, make_trainer
from torch.profiler import ProfilerActivity, profile, record_function

from grader.instruments import trace
from grader.instruments.nesting import outside, self_total
from grader.instruments.trace import TraceError, load, read_trace, viewer_problems


def complete(**changes):
    entry = {"ph": "X", "name": "op", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1.25, "dur": 2}
    return {**entry, **changes}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    trainer = make_trainer(batch_size=16)
    stream = trainer.batches.stream()
    trainer.step(stream)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        for _ in range(3):
            with record_function("data_wait"):
                batch = trainer.fetch(stream)
            with record_function("train_step"):
                with record_function("forward"):
                    loss = trainer.forward(*trainer.transfer(batch))
                with record_function("backward"):
                    trainer.backward(loss)
                with record_function("optimizer"):
                    trainer.update()
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    prof.export_chrome_trace(str(path))
    return path


def test_a_real_trace_has_its_ranges_and_viewers_take_it(exported):
    assert viewer_problems(load(exported)) == ()
    events = read_trace(exported)
    ranges = trace.counts(trace.user_ranges(events))
    assert {name: ranges[name] for name in ("data_wait", "train_step", "forward")} == {
        "data_wait": 3,
        "train_step": 3,
        "forward": 3,
    }
    assert trace.counts(trace.operators(events))["aten::addmm"] == 9
    assert set(ranges) & set(PHASES) == {"data_wait", "forward", "backward", "optimizer"}


def test_in_a_real_trace_the_step_holds_its_phases_and_not_the_wait(exported):
    events = read_trace(exported)
    for phase in ("forward", "backward", "optimizer", "aten::addmm", "aten::mm"):
        assert outside(events, phase, "train_step") == ()
    assert len(outside(events, "data_wait", "train_step")) == 3


def test_in_a_real_trace_self_times_add_up_to_the_nanosecond(exported):
    events = trace.host_events(read_trace(exported))
    rows = self_total(events)
    tops = rows["data_wait"].total + rows["train_step"].total
    assert sum(row.self_time for row in rows.values()) == tops


def test_a_gzipped_trace_is_read_like_the_plain_one(exported, tmp_path):
    packed = tmp_path / "trace.json.gz"
    packed.write_bytes(gzip.compress(exported.read_bytes()))
    assert read_trace(packed) == read_trace(exported)


def test_times_are_exact_nanoseconds(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(
        '{"traceEvents": [{"ph": "X", "name": "op", "pid": 1, "tid": 1, '
        '"ts": 5148129150214.309, "dur": 0.001}]}',
        encoding="utf-8",
    )
    (event,) = read_trace(path)
    assert (event.start, event.duration) == (5148129150214309, 1)


def test_a_bare_list_of_events_is_a_trace():
    (event,) = trace.events_of([complete()])
    assert (event.name, event.start, event.end, event.thread) == ("op", 1250, 3250, "1/1")


def test_events_come_by_time_and_the_longest_first():
    names = [
        e.name
        for e in trace.events_of(
            [
                complete(name="late", ts=3),
                complete(name="child", ts=1, dur=1),
                complete(name="root", ts=1),
            ]
        )
    ]
    assert names == ["root", "child", "late"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("  \n", "the file is empty"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("42", "no list of traceEvents"),
        ('{"traceEvents": 3}', "no list of traceEvents"),
        ('{"traceEvents": []}', "holds no event with a duration"),
        ('{"traceEvents": [{"ph": "M", "name": "x"}]}', "holds no event with a duration"),
    ],
)
def test_what_is_no_trace_is_refused_with_a_reason(tmp_path, text, message):
    path = tmp_path / "trace.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TraceError, match=message):
        read_trace(path)


def test_a_missing_file_and_a_broken_archive_are_refused(tmp_path):
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(tmp_path / "missing.json")
    broken = tmp_path / "broken.json.gz"
    broken.write_bytes(gzip.compress(b"[]" * 1000)[:-9])
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(broken)


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(trace, "LARGEST_FILE", 1 << 20)
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(gzip.compress(b" " * (2 << 20)))
    with pytest.raises(TraceError, match="larger than 1 MiB"):
        read_trace(bomb)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("text", "not an event with a phase"),
        ({"name": "x"}, "not an event with a phase"),
        (complete(dur=-1), "dur is negative"),
        (complete(ts="soon"), "ts is 'soon'"),
        (complete(ts=True), "ts is True"),
        (complete(ts=float("nan")), "ts is nan"),
        ({k: v for k, v in complete().items() if k != "tid"}, "without tid"),
        ({k: v for k, v in complete().items() if k != "dur"}, "without dur"),
    ],
)
def test_an_event_that_viewers_do_not_show_is_named(entry, problem):
    (found,) = viewer_problems({"traceEvents": [entry]})
    assert found.startswith("event 0: ")
    assert problem in found


def test_it_answers_its_known_question_and_notices_a_forged_reader(monkeypatch):
    assert trace.answers_known_question()
    monkeypatch.setattr(trace, "_nanoseconds", lambda value: 0)
    assert not trace.answers_known_question()
