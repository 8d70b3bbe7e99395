"""The sync counter against counts by hand."""

import numpy as np
import pytest
import torch
from compact.trainer import make_trainer

from grader.instruments import host_syncs
from grader.instruments.host_syncs import HostSyncs, count_host_syncs

VALUE = torch.tensor([1.0, 2.0, 3.0])
SCALAR = torch.tensor(1)


def branch():
    if VALUE.sum() > 0:
        pass


def assign_to_mask():
    VALUE.clone()[VALUE > 9] = 0


WAITS = {
    "item": lambda: VALUE.sum().item(),
    "float": lambda: float(VALUE[0]),
    "int": lambda: int(VALUE[0]),
    "index": lambda: [1, 2][SCALAR],
    "branch": branch,
    "and": lambda: VALUE.mean() > 0 and 1,
    "any": lambda: any(VALUE),
    "in": lambda: 1.0 in VALUE,
    "tolist": VALUE.tolist,
    "numpy": VALUE.numpy,
    "cpu": VALUE.cpu,
    "repr": lambda: repr(VALUE),
    "str": lambda: str(VALUE),
    "f-string": lambda: f"{VALUE[0]:.2f}",
    "mask": lambda: VALUE[VALUE > 1],
    "mask of two": lambda: VALUE.reshape(1, 3)[:, VALUE > 1],
    "mask assignment": assign_to_mask,
    "nonzero": VALUE.nonzero,
    "argwhere": lambda: torch.argwhere(VALUE),
    "where of one": lambda: torch.where(VALUE > 1),
    "masked_select": lambda: VALUE.masked_select(VALUE > 1),
    "unique": VALUE.unique,
    "torch.unique": lambda: torch.unique(VALUE),
    "equal": lambda: torch.equal(VALUE, VALUE),
    "allclose": lambda: torch.allclose(VALUE, VALUE),
    "repeat": lambda: torch.repeat_interleave(VALUE, torch.tensor([1, 2, 0])),
    "stack of scalars": lambda: torch.tensor([VALUE[0], VALUE[1]]),
}

DOES_NOT_WAIT = {
    "arithmetic": lambda: (VALUE * 2 + 1).relu().sum(),
    "max": VALUE.max,
    "where of three": lambda: torch.where(VALUE > 1, VALUE, 0),
    "index by numbers": lambda: VALUE[[0, 2]],
    "index by tensor": lambda: VALUE[torch.tensor([0, 2])],
    "shape": lambda: (VALUE.shape, len(VALUE), VALUE.dtype),
    "detach": VALUE.detach,
    "to dtype": lambda: VALUE.to(torch.float64),
    "masked_fill": lambda: VALUE.masked_fill(VALUE > 1, 0),
    "repeat by number": lambda: VALUE.repeat_interleave(2),
    "sum of scalars": lambda: sum(VALUE),
}


@pytest.mark.parametrize("snippet", WAITS.values(), ids=WAITS)
def test_each_kind_of_sync_counts_once(snippet):
    assert count_host_syncs(snippet) == 1


@pytest.mark.parametrize("snippet", DOES_NOT_WAIT.values(), ids=DOES_NOT_WAIT)
def test_what_does_not_wait_counts_nothing(snippet):
    assert count_host_syncs(snippet) == 0


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_numpy_functions_on_a_tensor_count():
    assert count_host_syncs(lambda: np.asarray(VALUE)) == 1


def test_pythons_max_compares_once_for_every_element_but_the_first():
    assert count_host_syncs(lambda: max(VALUE)) == 2


def test_a_loop_counts_every_turn():
    def loop():
        for value in VALUE:
            float(value)

    assert count_host_syncs(loop) == 3


def test_torchs_own_syncs_are_marked_and_ones_own_are_not():
    trainer = make_trainer(batch_size=8)
    stream = trainer.batches.stream()
    with HostSyncs() as syncs:
        trainer.step(stream).item()
    assert syncs.own == 1
    assert syncs.count == 1 + len(list(trainer.model.parameters()))
    assert syncs.seen[-1].place.startswith("test_host_syncs.py:")


def test_a_training_step_has_no_sync_of_its_own():
    trainer = make_trainer(batch_size=8)
    with HostSyncs() as syncs:
        trainer.step(trainer.batches.stream())
    assert syncs.own == 0


def test_outside_the_mode_nothing_is_counted():
    with HostSyncs() as syncs:
        pass
    VALUE.sum().item()
    assert syncs.count == 0


def test_it_answers_its_known_question_and_notices_a_deaf_counter(monkeypatch):
    assert host_syncs.answers_known_question()
    monkeypatch.setattr(host_syncs, "sync_name", lambda *call: "")
    assert not host_syncs.answers_known_question()
