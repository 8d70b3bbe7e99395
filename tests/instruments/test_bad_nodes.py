"""The record of a backward against gradients that are known in closed form."""

import torch

from grader.instruments import bad_nodes
from grader.instruments.bad_nodes import first_bad_node, nodes_of, record_backward


def test_it_answers_its_known_question():
    assert bad_nodes.answers_known_question()


def test_every_node_runs_once_and_leaves_are_among_them():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    runs = record_backward((y * y + y).sum())
    names = [run.name for run in runs]
    assert names.count("MulBackward0") == 2
    assert names.count("AddBackward0") == 1
    assert any("AccumulateGrad" in name for name in names)
    assert len(runs) == len(nodes_of((x * 2).sum())) + 2


def test_gradients_are_those_of_the_closed_form():
    x = torch.tensor([1.0, 4.0, 9.0], requires_grad=True)
    runs = {run.name: run for run in record_backward(x.sqrt().sum())}
    (slope,) = runs["SqrtBackward0"].outgoing
    assert torch.allclose(slope, 0.5 / torch.tensor([1.0, 2.0, 3.0]))
    (given,) = runs["SqrtBackward0"].incoming
    assert torch.equal(given, torch.ones(3))
    assert x.grad is not None
    assert torch.equal(x.grad, slope)


def test_a_sum_of_two_gradients_is_born_at_no_node():
    x = torch.full((1,), -80.0, requires_grad=True)
    y = x.exp()
    runs = record_backward((y * 3e38 + y * 3e38).sum())
    assert not any(run.born for run in runs)
    first = next(run for run in runs if run.touched)
    assert first.name == "ExpBackward0"
    assert first.incoming[0].isinf().all()


def test_a_clean_backward_has_no_bad_node():
    x = torch.tensor([-1.0], requires_grad=True)
    assert first_bad_node(x.log().sum()) is None  # the loss is NaN, its gradient is -1


def test_a_graph_of_many_paths_is_walked_once():
    x = torch.zeros(1, requires_grad=True)
    y = x.sqrt()
    for _ in range(50):
        y = (y + y) * 0.5
    found = first_bad_node(y.sum())
    assert found is not None
    assert found.name == "SqrtBackward0"
    assert found.born
