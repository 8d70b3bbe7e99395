"""Rows: levels from evidence, what stays possible, and why."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.evidence import Evidence, Status
from grader.course.unit import ROWS
from grader.errors import CourseError
from grader.scoring.rows import score
from grader.scoring.rubric import Criteria, Rubric

RUBRIC = Rubric(tuple(Criteria(row, row.title(), "passes", "is strong") for row in ROWS))
ORDER = ["none", "pass", "strong"]
STATUSES = list(Status)
OPEN = [status for status in Status if status.undetermined]
AGAINST = [status for status in Status if status.counts_against]


def found(status, level="pass", row="timing", check="8.9.a/x", **more):
    return Evidence(check, "8.9.a", "What holds.", row, level, status, **more)


def one(evidence):
    (row,) = score(evidence, ("timing",), RUBRIC)
    return row


def levels(evidence):
    row = one(evidence)
    return str(row.level), str(row.at_most)


evidence_lists = st.lists(
    st.builds(
        found,
        st.sampled_from(STATUSES),
        level=st.sampled_from(["pass", "strong"]),
        row=st.sampled_from(["timing", "resume"]),
    ),
    max_size=8,
)


def test_all_pass_and_all_strong_evidence_met_is_strong():
    assert levels([found(Status.MET), found(Status.MET, "strong")]) == ("strong", "strong")


def test_all_pass_evidence_met_and_some_strong_not_is_pass():
    evidence = [found(Status.MET), found(Status.MET, "strong"), found(Status.NOT_MET, "strong")]
    assert levels(evidence) == ("pass", "pass")


@pytest.mark.parametrize("status", AGAINST)
def test_one_piece_of_pass_evidence_against_is_none(status):
    evidence = [found(Status.MET), found(status), found(Status.MET, "strong")]
    assert levels(evidence) == ("none", "none")


@pytest.mark.parametrize("status", OPEN)
def test_what_says_nothing_leaves_the_level_open(status):
    met, strong = found(Status.MET), found(Status.MET, "strong")
    assert levels([met, found(status), strong]) == ("none", "strong")
    assert levels([met, strong, found(status, "strong")]) == ("pass", "strong")
    assert levels([found(status), found(Status.NOT_MET, "strong")]) == ("none", "pass")


def test_without_strong_evidence_a_row_is_pass_at_most():
    assert levels([found(Status.MET)]) == ("pass", "pass")
    assert levels([found(Status.SKIPPED)]) == ("none", "pass")


def test_a_skipped_check_that_would_only_confirm_leaves_the_row_alone():
    missing = replace(found(Status.SKIPPED), confirms=True, message="no device")
    assert levels([found(Status.MET), found(Status.MET, "strong"), missing]) == ("strong", "strong")
    assert levels([found(Status.MET), replace(missing, status=Status.NOT_MET)]) == ("none", "none")
    (_, reason) = one([found(Status.MET), missing]).reasons
    assert "would only confirm: no device" in reason


def test_a_row_that_nothing_was_checked_for_is_open():
    assert levels([]) == ("none", "strong")
    assert one([]).reasons == ("Nothing was checked for this row.",)


def test_strong_evidence_alone_does_not_pass_a_row():
    assert levels([found(Status.MET, "strong")]) == ("none", "strong")
    assert levels([found(Status.NOT_MET, "strong")]) == ("none", "pass")


@given(evidence=evidence_lists)
def test_what_is_certain_is_never_more_than_what_is_possible(evidence):
    level, at_most = levels(evidence)
    assert ORDER.index(level) <= ORDER.index(at_most)


@given(evidence=evidence_lists)
def test_without_open_evidence_the_level_is_certain(evidence):
    decided = [item for item in evidence if not item.status.undetermined]
    if any(item.row == "timing" and item.level == "pass" for item in decided):
        level, at_most = levels(decided)
        assert level == at_most


@given(evidence=evidence_lists, data=st.data())
def test_making_one_piece_better_never_lowers_a_row(evidence, data):
    """Against is worse than open, and open is worse than met."""
    if not evidence:
        return
    rank = {status: 0 if status in AGAINST else 1 if status in OPEN else 2 for status in Status}
    index = data.draw(st.integers(0, len(evidence) - 1))
    old = evidence[index]
    better = data.draw(st.sampled_from([s for s in STATUSES if rank[s] >= rank[old.status]]))
    improved = [*evidence[:index], replace(old, status=better), *evidence[index + 1 :]]
    for before, after in zip(levels(evidence), levels(improved), strict=True):
        assert ORDER.index(after) >= ORDER.index(before)


@given(evidence=evidence_lists, status=st.sampled_from(OPEN), data=st.data())
def test_open_evidence_never_lowers_what_is_possible(evidence, status, data):
    if not evidence:
        return
    index = data.draw(st.integers(0, len(evidence) - 1))
    opened = [*evidence[:index], replace(evidence[index], status=status), *evidence[index + 1 :]]
    assert ORDER.index(levels(opened)[1]) >= ORDER.index(levels(evidence)[1])


@given(evidence=evidence_lists)
def test_the_level_and_the_possible_are_the_worst_and_best_of_what_open_evidence_could_be(evidence):
    """Every way in which open evidence could come out lies between the two, and both are reached.

    A row without pass evidence is left out: nothing was looked at there.
    """
    if not any(item.row == "timing" and item.level == "pass" for item in evidence):
        return
    outcomes = [
        levels([replace(item, status=status) if item.status in OPEN else item for item in evidence])
        for status in (Status.NOT_MET, Status.MET)
    ]
    level, at_most = levels(evidence)
    assert (outcomes[0][0], outcomes[1][0]) == (level, at_most)


@given(evidence=evidence_lists, seed=st.randoms())
def test_the_order_of_evidence_and_other_rows_do_not_matter(evidence, seed):
    shuffled = [item for item in evidence if item.row == "timing"]
    seed.shuffle(shuffled)
    assert levels(shuffled) == levels(evidence)


def test_a_unit_feeds_only_its_own_rows_in_the_rubrics_order():
    evidence = [found(Status.MET, row=row) for row in ROWS]
    rows = score(evidence, ["resume", "timing"], RUBRIC)
    assert [row.id for row in rows] == ["timing", "resume"]
    assert [row.title for row in rows] == ["Timing", "Resume"]


def test_a_row_that_the_rubric_does_not_have_is_an_authors_mistake():
    with pytest.raises(CourseError, match="the rubric has no row 'speed'; use prediction"):
        score([], ["speed"], RUBRIC)


def test_reasons_are_sentences_about_what_is_missing_open_or_to_be_read():
    evidence = [
        found(Status.MET, check="8.9.a/one"),
        found(Status.NOT_MET, check="8.9.a/two"),
        found(Status.SKIPPED, "strong", check="8.9.b/three", message="needs CUDA"),
        found(Status.MET, "strong", check="8.9.P/why", person=True),
    ]
    assert one(evidence).reasons == (
        "Met: 1 of 2 pass and 1 of 2 strong evidence.",
        "8.9.a/two (pass) is not met: What holds.",
        "8.9.b/three (strong) was skipped, which leaves the level open: needs CUDA",
        "A person should read 8.9.P/why.",
    )


@given(evidence=evidence_lists)
def test_every_status_has_words_in_the_reasons(evidence):
    own = [item for item in evidence if item.row == "timing" and item.status is not Status.MET]
    assert len(one(evidence).reasons) == 1 + len(own)
