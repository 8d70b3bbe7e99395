"""Saved bytes against closed forms."""

import gc
import weakref

import pytest
import torch
from compact.config import ModelConfig
from compact.model import build
from torch.nn.functional import cross_entropy

from grader.instruments import saved_tensors as instrument
from grader.instruments.saved_tensors import SavedTensor, saved_bytes, saved_tensors


@pytest.mark.parametrize("batch", [1, 33, 128])
@pytest.mark.parametrize("widths", [(64, 256, 256, 10), (64, 10), (64, 7, 10)])
def test_an_mlp_saves_its_hidden_outputs_the_log_probabilities_and_one_weight(batch, widths):
    model = build(ModelConfig(widths=widths))
    x, y = torch.rand(batch, 64), torch.zeros(batch, dtype=torch.long)
    seen = saved_bytes(lambda: cross_entropy(model(x), y), [x, y, *model.parameters()])
    assert seen == 4 * batch * sum(widths[1:-1]) + 4 * batch * widths[-1] + 4


def language_model(attention, width, tokens, batch):
    config = ModelConfig(
        "transformer",
        layers=2,
        heads=2,
        width=width,
        tokens=tokens,
        vocab=11,
        attention=attention,
    )
    model = build(config)
    ids = torch.zeros(batch, tokens, dtype=torch.long)

    def forward():
        return cross_entropy(model(ids).flatten(0, 1), ids.flatten())

    return saved_tensors(forward, [ids, *model.parameters()])


@pytest.mark.parametrize(("b", "s", "h"), [(2, 8, 16), (3, 5, 8), (1, 13, 32)])
def test_a_transformer_with_fused_attention_saves_what_the_closed_form_says(b, s, h):
    """A block 64 b s h + 4 a b s + 16 b s; once the last norm, the head's input, log-softmax, 4."""
    a, v, layers = 2, 11, 2
    block = 64 * b * s * h + 4 * a * b * s + 16 * b * s
    once = (4 * b * s * h + 8 * b * s) + 4 * b * s * h + 4 * b * s * v + 4
    assert sum(t.size for t in language_model("sdpa", h, s, b)) == layers * block + once


def test_attention_by_hand_saves_the_square_of_the_tokens_and_fused_attention_does_not():
    def growth(attention):
        short, long = (
            sum(t.size for t in language_model(attention, 16, tokens, 2)) for tokens in (16, 32)
        )
        return long - 2 * short

    assert abs(growth("sdpa")) <= 4
    assert growth("manual") > 2 * 2 * 2 * 4 * (32**2 - 2 * 16**2)


def test_a_storage_counts_once_however_often_it_is_saved():
    x = torch.zeros(8, requires_grad=True)

    def fn():
        y = x.exp()
        return y * y.view(2, 4).view(8)

    assert saved_tensors(fn, [x]) == (SavedTensor(32, (8,), "float32", 3),)


def test_a_view_counts_with_the_whole_storage_it_keeps_alive():
    x = torch.zeros(1000, 8)
    weight = torch.ones(8, requires_grad=True)
    assert saved_bytes(lambda: x[0] * weight, [weight]) == 32_000


def test_without_a_gradient_nothing_is_saved():
    assert saved_tensors(lambda: torch.zeros(8).exp()) == ()


def test_under_autocast_the_copies_of_the_weights_are_saved_too():
    model, x = build(ModelConfig(widths=(64, 32, 10))), torch.rand(4, 64)

    def low():
        with torch.autocast("cpu", torch.bfloat16):
            return model(x).sum()

    seen = saved_tensors(low, [x, *model.parameters()])
    assert (2 * 32 * 10, "bfloat16") in {(t.size, t.dtype) for t in seen}


def test_the_count_leaves_nothing_behind():
    alive = []
    x = torch.zeros(8, requires_grad=True)

    def fn():
        y = x.exp()
        alive.append(weakref.ref(y))
        return y * y

    gc.disable()
    try:
        saved_tensors(fn, [x])
        assert alive[0]() is None
    finally:
        gc.enable()


def test_the_backward_still_works_through_the_hooks():
    x = torch.ones(3, requires_grad=True)
    kept = []

    def fn():
        kept.append((x * x).sum())

    saved_tensors(fn)
    kept[0].backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_it_answers_its_known_question_and_notices_a_forged_key(monkeypatch):
    assert instrument.answers_known_question()
    monkeypatch.setattr(instrument, "_key", id)
    assert not instrument.answers_known_question()
