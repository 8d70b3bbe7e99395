"""The digits and the batches made of them."""

import hashlib
from itertools import chain
from pathlib import Path

import pytest
import torch
from compact.data import CLASSES, Batches, load_digits, split

FILE = Path(__file__).parents[2] / "exercises" / "compact" / "digits.csv.gz"


def numbered(count=20, **settings):
    examples = torch.arange(count)
    return Batches(examples, examples, **{"batch_size": 4, **settings})


def ids(batches):
    return [x.tolist() for x, _ in batches]


def take(iterator, count):
    return [next(iterator)[0].tolist() for _ in range(count)]


def test_the_digits_are_the_published_ones():
    images, labels = load_digits()
    assert (images.shape, images.dtype) == ((1797, 64), torch.float32)
    assert (labels.shape, labels.dtype) == ((1797,), torch.int64)
    assert (images.min().item(), images.max().item()) == (0.0, 1.0)
    assert labels.bincount().tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert torch.equal(images * 16, (images * 16).round())


def test_the_file_is_the_one_whose_source_is_stated():
    digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert digest in (FILE.parent / "SOURCE.md").read_text(encoding="utf-8")


def test_a_split_holds_out_a_fifth_of_every_class_and_shares_nothing():
    images, labels = load_digits()
    (train_x, train_y), (held_x, held_y) = split(3)
    assert len(train_x) + len(held_x) == len(images)
    assert len(train_y) + len(held_y) == len(labels)
    shares = held_y.bincount(minlength=CLASSES) / labels.bincount()
    assert shares.min() > 0.19
    assert shares.max() < 0.21
    held = {tuple(row) for row in held_x.tolist()}
    assert len(held & {tuple(row) for row in train_x.tolist()}) == 0


def test_a_split_depends_on_its_seed_alone():
    assert torch.equal(split(1)[1][0], split(1)[1][0])
    assert not torch.equal(split(1)[1][0], split(2)[1][0])


def test_an_epoch_hands_out_every_example_once_and_labels_stay_with_images():
    examples = torch.arange(20)
    batches = Batches(examples, examples * 10, batch_size=5)
    seen = list(batches)
    assert sorted(torch.cat([x for x, _ in seen]).tolist()) == list(range(20))
    assert all(torch.equal(x * 10, y) for x, y in seen)
    assert len(seen) == len(batches) == 4


def test_a_short_last_batch_is_dropped_unless_it_is_asked_for():
    assert [len(b) for b in ids(numbered(10))] == [4, 4]
    assert [len(b) for b in ids(numbered(10, drop_last=False))] == [4, 4, 2]
    assert (len(numbered(10)), len(numbered(10, drop_last=False))) == (2, 3)


def test_every_epoch_has_an_order_of_its_own_and_a_seed_fixes_them_all():
    batches, again, other = numbered(seed=1), numbered(seed=1), numbered(seed=2)
    epochs = [ids(batches) for _ in range(3)]
    assert epochs == [ids(again) for _ in range(3)]
    assert epochs[0] != epochs[1] != epochs[2]
    assert epochs[0] != ids(other)
    assert batches.epoch == 3


def test_the_global_random_state_is_never_used():
    state = torch.get_rng_state()
    ids(numbered())
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("used", range(13))
@pytest.mark.parametrize("drop_last", [True, False])
def test_a_resumed_run_goes_on_with_the_very_next_batch(used, drop_last):
    whole = take(numbered(18, drop_last=drop_last).stream(), 20)
    first = numbered(18, drop_last=drop_last)
    begun = take(first.stream(), used)
    second = numbered(18, drop_last=drop_last, seed=99)
    second.load_state_dict(first.state_dict())
    assert begun + take(second.stream(), 20 - used) == whole


def test_saving_does_not_disturb_the_run_and_two_resumes_agree():
    batches = numbered()
    stream = batches.stream()
    take(stream, 3)
    state = batches.state_dict()
    rest = take(stream, 6)
    for _ in range(2):
        batches.load_state_dict(state)
        assert take(batches.stream(), 6) == rest


def test_a_running_iterator_follows_a_restored_position():
    batches = numbered()
    stream = batches.stream()
    state = batches.state_dict()
    first = take(stream, 3)
    batches.load_state_dict(state)
    assert take(stream, 3) == first


def test_iterating_after_a_break_hands_out_the_rest_of_the_epoch():
    batches = numbered()
    start = []
    for x, _ in batches:
        start.append(x.tolist())
        break
    rest = ids(batches)
    assert len(rest) == 4
    assert sorted(chain.from_iterable(start + rest)) == list(range(20))


def test_a_state_of_another_batch_size_is_refused():
    with pytest.raises(ValueError, match="batch_size 4, not 5"):
        numbered(batch_size=5).load_state_dict(numbered().state_dict())


@pytest.mark.parametrize("batch_size", [0, 21, -1])
def test_a_batch_size_that_makes_no_batch_is_refused(batch_size):
    with pytest.raises(ValueError, match="must be from 1 to 20"):
        numbered(batch_size=batch_size)


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="3 examples but 2 labels"):
        Batches(torch.ones(3), torch.ones(2), 1)
