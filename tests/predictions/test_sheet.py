"""The prediction sheet: its digest, and every problem with its line."""

import os
import random
import tomllib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grader.errors import SheetError
from grader.predictions.blank_sheet import blank_sheet
from grader.predictions.sheet import blank_fields, read_sheet

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def problems(path, unit, complete=False):
    with pytest.raises(SheetError) as caught:
        read_sheet(path, unit, complete=complete)
    return [str(problem) for problem in caught.value.problems]


def test_a_filled_sheet_is_read_with_its_values_texts_and_lines(write, unit, filled):
    sheet = read_sheet(write(filled), unit, complete=True)
    assert sheet.unit_id == "8.9"
    assert list(sheet.entries) == [field.name for field in unit.fields]
    peak = sheet.entries["peak"]
    assert (peak.value, peak.text, peak.line) == (1_600_000, "1.6 MB", 2)
    assert sheet.entries["step_time"].value == 0.0125
    assert sheet.entries["calls"].value == 2
    assert sheet.entries["slowest"].value == "forward"


@in_one_folder
@given(seed=st.integers(0, 10**6), ending=st.sampled_from(["\n", "\r\n"]))
def test_comments_spaces_order_and_line_ends_do_not_change_the_digest(
    write, unit, filled, seed, ending
):
    rng = random.Random(seed)
    lines = filled.splitlines()
    rng.shuffle(lines)
    spaced = []
    for line in lines:
        key, value = line.split(" = ", 1)
        space = " " * rng.randrange(4)
        comment = rng.choice(["", ' # note = "1 B"', "  #"])
        spaced += rng.choice([[], [""], ["# calls = 9"]])
        spaced.append(f"{space}{key}{space}={space}{value}{comment}")
    mark = rng.choice(["", "\ufeff"])
    mangled = read_sheet(write(mark + ending.join(spaced)), unit)
    assert mangled.digest == read_sheet(write(filled), unit).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"1.6 MB"', '"1.6e3 kB"'),
        ('"12.5 ms"', '"0.0125 s"'),
        ("calls = 2", 'calls = "2"'),
        ('"forward"', "'''forward'''"),
        ("calls =", '"calls" ='),
    ],
)
def test_another_spelling_to_as_many_digits_keeps_the_digest(write, unit, filled, old, new):
    assert old in filled
    before = read_sheet(write(filled), unit).digest
    assert read_sheet(write(filled.replace(old, new)), unit).digest == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("21626880", "21626881"),
        ('"1.6 MB"', '"1.6 MiB"'),
        ('"1.6 MB"', '"1.60 MB"'),
        ('"1.6 MB"', '"1600000 B"'),
        ('"21626880 FLOP"', '"21.62688 MFLOP"'),
        ('"1.6 MB"', '""'),
        ("calls = 2", "calls = 2.0"),
        ("calls = 2", "calls = 3"),
        ('"forward"', '"backward"'),
        ("the arithmetic", "the  arithmetic"),
    ],
)
def test_another_value_changes_the_digest(write, unit, filled, old, new):
    assert old in filled
    before = read_sheet(write(filled), unit).digest
    assert read_sheet(write(filled.replace(old, new)), unit).digest != before


def test_the_digest_belongs_to_the_unit_too(write, unit, filled):
    from dataclasses import replace

    sheet = read_sheet(write(filled), unit)
    assert sheet.digest != read_sheet(write(filled), replace(unit, id="8.3")).digest


def test_a_blank_sheet_is_read_as_blank_and_refused_for_sealing(write, unit):
    path = write(blank_sheet(unit))
    sheet = read_sheet(path, unit)
    assert sheet.entries == {}
    assert blank_fields(sheet, unit) == unit.fields
    said = problems(path, unit, complete=True)
    assert len(said) == len(unit.fields)
    assert all(" is blank; write " in line for line in said)
    lines = path.read_text().splitlines()
    for field, line in zip(unit.fields, said, strict=True):
        number = int(line.split(":")[1])
        assert lines[number - 1] == f'{field.name} = ""'


def test_the_blank_sheet_tells_units_choices_and_questions(unit):
    text = blank_sheet(unit)
    assert set(tomllib.loads(text)) == {field.name for field in unit.fields}
    for field in unit.fields:
        assert field.title in text
    assert "data_wait, transfer, forward, backward, optimizer" in text
    assert "kFLOP" in text
    assert "20 %" in text


def test_a_missing_field_is_a_problem_only_for_a_complete_sheet(write, unit, filled):
    path = write(filled.replace("calls = 2\n", ""))
    assert "calls" not in read_sheet(path, unit).entries
    (said,) = problems(path, unit, complete=True)
    assert said.endswith("'calls' is missing; add the line calls = 12")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('peak = "1.6 Mb"', "2: 'peak': 1.6 Mb: unit 'Mb' is not known, did you mean MB?"),
        ('peak = "12 ms"', "2: 'peak': 12 ms: 'ms' is a unit of time"),
        ('peak = "nan"', "2: 'peak': nan: this is not a finite number"),
        ("peak = nan", "2: 'peak': nan: this is not a finite number"),
        ("peak = inf", "2: 'peak': inf: this is not a finite number"),
        ("peak = 1e999", "2: 'peak': inf: this is not a finite number"),
        ("peak = 16", "2: 'peak': 16 has no unit"),
        ("peak = true", "2: 'peak': write \"1234567 B\" or \"1.23 MB\", not true or false"),
        ("peak = [1]", "not a list"),
        ("peak = {a = 1}", "not a table"),
        ("peak = 1979-05-27", "not a date"),
        ('peak = "-3 B"', "-3 B is negative"),
        ('peak = "0 B"', "2: 'peak': 0 predicts nothing: write a size"),
        ('peak = "0.000 MB"', "2: 'peak': 0 predicts nothing: write a size"),
        ('peak = "1.6 MB', "2: is not valid TOML: "),
        ("peak = 1.6 MB", '2: is not valid TOML: expected newline or end of document after a '
         'statement; write it as name = "value"'),
        ("peak = ", "2: is not valid TOML: invalid value"),
        ('forward_flops = "3 FLOP"', "2: 'forward_flops' is given twice, first on line 1"),
        ('peek = "1.6 MB"', "2: there is no field 'peek'; did you mean 'peak'?"),
        ('zzz = "1.6 MB"', "2: there is no field 'zzz'; remove it"),
        ("peak = " + "9" * 5000, "2: a number has too many digits"),
        ("peak = " + "[" * 3000, "2: is "),
        ('peak = "\\u001b[31m 1 B"', "'peak': \\x1b[31m 1 B"),
    ],
)  # fmt: skip
def test_each_kind_of_bad_line_is_told_with_its_place(write, unit, filled, line, said):
    path = write(filled.replace('peak = "1.6 MB"', line))
    told = problems(path, unit)
    assert any(said in problem for problem in told), told
    assert all(problem.startswith(str(path)) for problem in told)
    assert all(problem.isprintable() for problem in told)


def test_a_wrong_choice_is_told_with_the_choices_and_the_nearest(write, unit, filled):
    (said,) = problems(write(filled.replace('"forward"', '"backwards"')), unit)
    assert said.endswith(
        "6: 'slowest': 'backwards' is not one of data_wait, transfer, forward, backward, "
        "optimizer, did you mean backward?"
    )


def test_a_text_may_not_steer_the_terminal(write, unit, filled):
    (said,) = problems(write(filled.replace("arithmetic", "\\u001b[2Jmost")), unit)
    assert "U+001B does not belong in a text" in said


def test_a_count_may_be_predicted_as_none(write, unit, filled):
    sheet = read_sheet(write(filled.replace("calls = 2", "calls = 0")), unit, complete=True)
    assert sheet.entries["calls"].value == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is slow.", "'why': name one of arithmetic, memory"),
        ("Arithmetic or memory, 21.6 MFLOP.", "name one of arithmetic, memory, not arithmetic and"),
        ("Arithmetic, I think.", "write the number of arithmetic too, with its unit"),
    ],
)
def test_a_text_that_cannot_be_right_is_refused_before_it_is_sealed(
    write, unit, filled, text, said
):
    path = write(filled.replace("It is the arithmetic, 21.6 MFLOP.", text))
    (told,) = problems(path, unit, complete=True)
    assert f":7: 'why': {said}".replace("'why': 'why'", "'why'") in told
    assert read_sheet(path, unit).entries["why"].text == text


def test_all_problems_are_told_in_one_go_and_in_order(write, unit):
    path = write(
        'forward_flops = "3 FLIP"\n'
        "peak = 5 MB\n"
        'peak = "5 MB"\n'
        'calls = "two"\n'
        'slowest = "forward\n'
        'whi = "x"\n'
        "step_time = nan\n"
    )
    said = problems(path, unit, complete=True)
    places = [problem.split(": ")[0].removeprefix(str(path)) for problem in said]
    assert places == [":1", ":2", ":3", ":4", ":5", ":6", ":7", "", ""]
    assert "'wait_share' is missing" in said[-2]
    assert "'why' is missing" in said[-1]


def test_a_line_inside_a_long_text_is_not_taken_for_a_field(write, unit, filled):
    text = filled.replace(
        'why = "It is the arithmetic, 21.6 MFLOP."', 'why = """\ncalls = 2\npeak = 3"""'
    )
    sheet = read_sheet(write(text + "# the end\n"), unit)
    assert sheet.entries["calls"].line == 5
    (said,) = problems(write(text.replace("calls = 2\nslow", 'calls = "x"\nslow')), unit)
    assert ":5: 'calls'" in said


def test_lines_are_counted_through_a_long_text(write, unit, filled):
    path = write('why = """\n\n\n"""\n' + filled.replace("why", "#") + "calls = 3\n")
    assert problems(path, unit) == [
        f"{path}:12: 'calls' is given twice, first on line 9; keep one of them"
    ]


def test_a_broken_table_name_does_not_move_its_keys_elsewhere(write, unit, filled):
    (said,) = problems(write(filled + "[oops\nextra = 1\nmore = 2\n"), unit)
    assert ":8: is not valid TOML" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'peak = "1 B"\nwhy = "caf\xe9"\n', ":2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ('peak = "1 B"'.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (b"# padding\n" * 10_000, "is larger than 64 KiB; shorten it"),
        (b"\x00\x01\x02", "is not valid TOML"),
    ],
)
def test_a_file_that_is_no_small_utf8_text_is_refused(write, unit, content, said):
    (problem,) = problems(write(content), unit)
    assert said in problem


def test_only_a_regular_file_is_read(write, unit, filled, tmp_path):
    real = write(filled, "real.toml")
    link = tmp_path / "link.toml"
    link.symlink_to(real)
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert "is a link; put the file itself there" in problems(link, unit)[0]
    assert "is not a regular file" in problems(folder, unit)[0]
    assert "is not a regular file" in problems(pipe, unit)[0]
    assert "there is no such file" in problems(tmp_path / "none.toml", unit)[0]


def test_problems_name_the_file_as_seen_from_the_current_folder(write, unit, tmp_path, monkeypatch):
    path = write("peak = 1\n")
    monkeypatch.chdir(tmp_path)
    assert problems(path, unit)[0].startswith("prediction.toml:1: ")


@in_one_folder
@given(content=st.binary(max_size=300) | st.text(alphabet="abc=[]{}\"'\\\n#.1 ", max_size=200))
@example(content="[#")
@example(content="= 3")
def test_no_bytes_bring_down_the_reader(write, unit, content):
    said = problems(write(content), unit, complete=True)
    assert said
    assert all(problem.isprintable() for problem in said)


@pytest.mark.parametrize("line", ["[\n", '"""\n', "x = [{\n", "[[a]]\n", "x = '''\n", "a.a.a\n"])
def test_a_hostile_file_of_full_size_is_refused_quickly(write, unit, line):
    import time

    path = write(line * ((60 << 10) // len(line)))
    start = time.process_time()
    problems(path, unit)
    assert time.process_time() - start < 5
