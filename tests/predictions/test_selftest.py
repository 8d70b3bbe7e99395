"""The self-test: answers marked by the key, blank ones left alone, problems with their line."""

import pytest

from grader.errors import CourseError, SheetError
from grader.predictions.selftest import mark_answers, read_answers, read_key

KEY = """\
unit = "8.9"

[[question]]
id = "q1"
text = "Which flag splits by shape?"
kind = "choice"
choices = ["record_shapes", "with_stack"]
answer = "record_shapes"
pointer = "Task g and the profiler's notes."

[[question]]
id = "q2"
text = "How long is a step?"
kind = "number"
unit = "s"
answer = "12.5 ms"
pointer = "Task b."

[[question]]
id = "q3"
text = "Bound by what?"
kind = "word"
answer = ["launch", "launch bound"]
pointer = "Task e."

[[question]]
id = "q4"
text = "How many calls?"
kind = "number"
answer = 2
"""


def answers(*given):
    return "".join(
        f'[[question]]\nid = "q{number}"\nanswer = {text}\n' for number, text in enumerate(given, 1)
    )


@pytest.fixture
def key(write):
    return read_key(write(KEY, "key.toml"))


def marks(key, path):
    return {found.id: found.mark for found in mark_answers(key, read_answers(path, key))}


def test_right_answers_are_right_in_any_spelling(write, key):
    path = write(answers('"record_shapes"', '"0.0125 s"', '" Launch  Bound "', "2"))
    assert set(marks(key, path).values()) == {"right"}


def test_wrong_answers_point_to_where_to_look(write, key):
    path = write(answers('"with_stack"', '"13 ms"', '"memory"', "3"))
    found = mark_answers(key, read_answers(path, key))
    assert {answer.mark for answer in found} == {"wrong"}
    assert found[0].pointer == "Task g and the profiler's notes."
    assert (found[1].given, found[1].text) == ("13 ms", "How long is a step?")
    right = mark_answers(key, read_answers(write(answers('"record_shapes"')), key))
    assert right[0].pointer == ""


@pytest.mark.parametrize(
    ("given", "mark"),
    [("12.6 ms", "right"), ("12.375 ms", "right"), ("12.63 ms", "wrong"), ("12.37 ms", "wrong")],
)
def test_a_number_is_right_within_one_percent(write, key, given, mark):
    assert marks(key, write(answers('""', f'"{given}"')))["q2"] == mark


def test_blank_and_missing_answers_are_blank(write, key):
    found = marks(key, write(answers('""', '"  "')))
    assert set(found.values()) == {"blank"}
    assert list(found) == ["q1", "q2", "q3", "q4"]


def test_every_problem_is_told_with_its_line(write, key):
    text = answers('"record_shape"', '"12 kB"', "3", '"two"').replace("q4", "q44")
    with pytest.raises(SheetError) as caught:
        read_answers(write(text), key)
    told = [str(problem).rpartition(".toml")[2] for problem in caught.value.problems]
    assert told == [
        ":3: 'q1': 'record_shape' is not one of record_shapes, with_stack, "
        "did you mean record_shapes?",
        ":6: 'q2': 12 kB: 'kB' is a unit of bytes, this field takes time, "
        "use one of s, ms, us, ns, min",
        ":9: 'q3': write a text in quotes, not a number",
        ":11: there is no question 'q44'; did you mean 'q4'?",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (answers('""', '""').replace("q2", "q1"), "question 'q1' is there twice; keep one"),
        ("question = 3\n", "'question' is not a list of tables"),
        ('unit = "8.9"\n', "there are no questions"),
        ("[[question]]\nid = q1\n", "is not valid TOML"),
        ('[[question]]\nanswer = "x"\n', "there is no question ''"),
    ],
)
def test_a_malformed_file_of_answers_is_refused(write, key, text, said):
    with pytest.raises(SheetError) as caught:
        read_answers(write(text), key)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('answer = "record_shapes"', 'answer = ""', "question 'q1': its answer is blank"),
        ('answer = "record_shapes"', 'answer = "both"', "'both' is not one of record_shapes"),
        ("answer = 2", "", "question 'q4': 'answer'"),
        ('kind = "word"', 'kind = "essay"', "its kind is 'essay', use choice, number, word"),
        ('unit = "s"', 'unit = "h"', "its unit is 'h'"),
        ('"12.5 ms"', '"12.5 mss"', "did you mean ms?"),
    ],
)
def test_a_key_with_a_problem_is_an_authors_concern(write, old, new, said):
    with pytest.raises(CourseError) as caught:
        read_key(write(KEY.replace(old, new), "key.toml"))
    assert said in str(caught.value)
    assert "key.toml:" in str(caught.value)
