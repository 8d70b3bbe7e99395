"""`discrepancy.toml`: what may be said about a gap, and every problem with its line."""

import pytest

from grader.predictions.discrepancy import (
    Discrepancies,
    Explanation,
    Term,
    read_discrepancies,
)


def problems(path, unit):
    found = read_discrepancies(path, unit).problems
    return [str(problem).removeprefix(str(path)) for problem in found]


def test_terms_and_sentences_are_read_in_both_ways_of_writing_them(write, unit):
    path = write(
        '[forward_flops]\nterms = [\n  { name = "attention", amount = "4.2 MFLOP" },\n'
        '  { name = "rounding", amount = "-20 FLOP" },\n]\nbecause = " The kernel is not counted. "'
        '\n\n[slowest]\nbecause = "backward took 12.6 ms"\n'
        '[[peak.terms]]\nname = "state"\namount = "3 kB"\n'
    )
    assert read_discrepancies(path, unit).explanations == {
        "forward_flops": Explanation(
            "forward_flops",
            (
                Term("attention", 4_200_000, "4.2 MFLOP"),
                Term("rounding", -20, "-20 FLOP"),
            ),
            "The kernel is not counted.",
        ),
        "slowest": Explanation("slowest", because="backward took 12.6 ms"),
        "peak": Explanation("peak", (Term("state", 3000, "3 kB"),)),
    }


def test_without_a_file_nothing_is_said(tmp_path, unit):
    assert read_discrepancies(tmp_path / "discrepancy.toml", unit) == Discrepancies({})


def test_a_link_is_refused_even_when_it_leads_nowhere(tmp_path, unit):
    link = tmp_path / "discrepancy.toml"
    link.symlink_to(tmp_path / "nowhere")
    assert problems(link, unit) == [": is a link; put the file itself there"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[peek]\nbecause = "x"', ":1: there is no field 'peek'; did you mean 'peak'?"),
        ("peak = 3", ":1: 'peak' is not a table; write [peak] on a line of its own"),
        ('[peak]\nbecuase = "x"', ":2: 'peak' has no key 'becuase'"),
        ("[peak]\nbecause = 3", ":2: 'because' of 'peak': write a text in quotes, not a number"),
        ('[peak]\nbecause = "\\u001b"', ":2: 'because' of 'peak': the character U+001B"),
        ('[peak]\nterms = "state"', ":2: 'terms' of 'peak' is not a list of tables; write terms"),
        ('[peak]\nterms = ["state"]', ":2: 'terms' of 'peak' is not a list of tables"),
        ('[peak]\nterms = [{ name = "state" }]', ":2: a term of 'peak' is not a name with an"),
        (
            '[peak]\nterms = [{ name = "stale", amount = "1 B" }]',
            ":2: 'peak' has no term 'stale'; use one of ",
        ),
        (
            '[peak]\nterms = [{ name = "cache", amount = "1 B" }]',
            ":2: 'peak' has no term 'cache'; use one of state, rounding",
        ),
        (
            '[[peak.terms]]\nname = "state"\namount = "1 Mb"',
            ":1: amount of 'state': 1 Mb: unit 'Mb' is not known, did you mean MB?",
        ),
        (
            '[peak]\nterms = [{ name = "state", amount = 5 }]',
            ":2: amount of 'state': 5 has no unit",
        ),
        (
            '[peak]\nterms = [{name = "state", amount = "1 B"}, {name = "state", amount = "2 B"}]',
            ":2: 'state' is named twice in 'peak'; add the amounts up",
        ),
        (
            "[peak]\nterms = [" + '{name = "state", amount = "1 B"},' * 40 + "]",
            ":2: 'peak' has 40 terms; name the few that matter",
        ),
        (
            '[slowest]\nterms = [{ name = "backward", amount = "1 s" }]',
            ":2: 'slowest' is no number, so it has no terms; use because",
        ),
        (
            '[step_time]\nterms = [{ name = "rounding", amount = "1 ms" }]',
            ":2: 'step_time' has no term 'rounding'; it knows none; say why",
        ),
        ("[peak]\n[peak]\n", ":2: 'peak' is given twice, first on line 1"),
        ('[peak]\nbecause = "x', ":2: is not valid TOML"),
    ],
)
def test_each_problem_is_told_with_its_line(write, unit, text, said):
    told = problems(write(text, "discrepancy.toml"), unit)
    assert any(problem.startswith(said) for problem in told), told


VALUES = (
    "3",
    "nan",
    "true",
    '""',
    '"x"',
    "[]",
    "[[]]",
    "[3]",
    "{}",
    "[{}]",
    "1979-05-27",
    "[{name=1}]",
)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "form",
    [
        "peak = {}",
        "[peak]\nterms = {}",
        "[peak]\nbecause = {}",
        "[[peak.terms]]\nname = {}\namount = '1 B'",
        "[[peak.terms]]\nname = 'state'\namount = {}",
        "[slowest]\nterms = {}",
    ],
)
def test_no_value_in_any_place_brings_down_the_reader(write, unit, form, value):
    path = write(form.replace("{}", value), "discrepancy.toml")
    found = read_discrepancies(path, unit)
    assert found.explanations or found.problems


def test_a_malformed_explanation_does_not_spoil_the_others(write, unit):
    path = write(
        '[peak]\nterms = [{ name = "nothing", amount = "1 B" }]\n'
        '[slowest]\nbecause = "backward took 12.6 ms"\n',
        "discrepancy.toml",
    )
    found = read_discrepancies(path, unit)
    assert found.explanations["slowest"].because == "backward took 12.6 ms"
    assert len(found.problems) == 1


def test_all_problems_are_told_in_one_go(write, unit):
    path = write(
        '[peak]\nterms = [{ name = "cache", amount = "1 B" }]\nbecause = 3\n'
        '[forward_flops]\nbecause = oops\n[wait]\nbecause = ""\n',
        "discrepancy.toml",
    )
    assert [problem.split(" ")[0] for problem in problems(path, unit)] == [
        ":2:",
        ":3:",
        ":5:",
        ":6:",
    ]
