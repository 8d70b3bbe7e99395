"""Three detectors against steps of which it is known what goes wrong, and where."""

import pytest
import torch

from grader.instruments import detectors
from grader.instruments.detectors import anomaly_node, bad_entries, detector_row


def noting(op, values, *, tail=None):
    """Return a step that notes ``op(x)``."""

    def step(trace):
        x = torch.tensor(values, requires_grad=True)
        trace.append(("value", op(x)))
        out = trace[-1][1]
        return (tail(out) if tail else out).sum()

    return step


def test_it_answers_its_known_question():
    assert detectors.answers_known_question()


STEPS = {
    "no_no_no": noting(torch.exp, [0.0, 1.0]),
    "no_no_yes": noting(torch.sqrt, [0.0, 1.0]),
    "no_yes_yes": noting(lambda x: torch.where(x > 0, x.sqrt(), x), [-1.0, 0.0]),
    "yes_no_no": noting(torch.log, [-1.0, 1.0]),
    "yes_yes_yes": noting(torch.log, [-1.0, 1.0], tail=torch.tanh),
}


@pytest.mark.parametrize("word", STEPS)
def test_a_step_is_seen_by_who_can_see_it(word):
    assert detector_row(STEPS[word]).word == word


def test_an_allowed_mask_is_clean():
    step = noting(lambda x: x.masked_fill(x > 0, -torch.inf), [-1.0, 1.0], tail=torch.exp)
    assert detector_row(step).word == "yes_no_no"
    assert detector_row(step, ("value",)).word == "no_no_no"


def test_the_mode_is_off_afterwards():
    detector_row(STEPS["no_yes_yes"])
    assert not torch.is_anomaly_enabled()


def test_another_error_is_not_taken_for_a_find():
    x = torch.ones(2, requires_grad=True)

    def twice():
        loss = x.exp().sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="second time"):
        anomaly_node(twice)


def test_entries_are_counted_one_by_one():
    value = torch.tensor([torch.nan, torch.inf, -torch.inf, 1.0, 60000.0])
    assert bad_entries(value) == 3
    assert bad_entries(value, allow_masked=True) == 2
    assert bad_entries(torch.full((4,), 60000.0).half()) == 0
