"""The FLOP counter against hand counts."""

from itertools import pairwise

import pytest
import torch
from compact.config import ModelConfig
from compact.model import build
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from grader.instruments import flops
from grader.instruments.flops import attention_backward_flops, attention_forward_flops, count_flops


def mlp_by_hand(widths, batch):
    """Forward 2 B sum(in out); backward twice that less the first layer's input gradient."""
    products = [a * b for a, b in pairwise(widths)]
    return 2 * batch * sum(products), 2 * batch * (2 * sum(products) - products[0])


def transformer_by_hand(batch, tokens, width, layers, vocab):
    """Forward 2 tokens (12 L D^2 + D V) + 4 L B T^2 D."""
    matrices = 2 * batch * tokens * (12 * layers * width**2 + width * vocab)
    attention = 4 * layers * batch * tokens**2 * width
    return matrices, attention


@pytest.mark.parametrize("widths", [(64, 256, 256, 10), (64, 10), (64, 32, 7, 5, 10)])
@pytest.mark.parametrize("batch", [1, 128])
def test_an_mlp_is_counted_as_by_hand_forward_and_backward(widths, batch):
    model = build(ModelConfig(widths=widths))
    images, labels = torch.rand(batch, 64), torch.zeros(batch, dtype=torch.long)
    seen = count_flops(lambda: cross_entropy(model(images), labels))
    assert (seen.forward, seen.backward) == mlp_by_hand(widths, batch)
    assert seen.total == sum(mlp_by_hand(widths, batch))


def test_the_course_mlp_costs_what_the_lesson_says():
    assert mlp_by_hand((64, 256, 256, 10), 128) == (21_626_880, 39_059_456)


def language_model(attention, tokens=16, vocab=50):
    config = ModelConfig(
        "transformer", layers=2, heads=4, width=32, tokens=tokens, vocab=vocab, attention=attention
    )
    return build(config)


@pytest.mark.parametrize("attention", ["sdpa", "manual"])
def test_a_transformer_is_counted_as_by_hand_with_either_attention(attention):
    ids = torch.randint(50, (3, 16), generator=torch.Generator().manual_seed(0))
    model = language_model(attention)
    matrices, scores = transformer_by_hand(3, 16, 32, 2, 50)
    seen = count_flops(lambda: model(ids).sum())
    assert seen.forward == matrices + scores
    share = 2.5 if attention == "sdpa" else 2
    assert seen.backward == 2 * matrices + share * scores


def test_torch_alone_misses_exactly_the_fused_attention():
    ids = torch.zeros(3, 16, dtype=torch.long)
    model = language_model("sdpa")
    matrices, scores = transformer_by_hand(3, 16, 32, 2, 50)
    alone = count_flops(lambda: model(ids).sum(), cpu_attention=False)
    assert (alone.forward, alone.backward) == (matrices, 2 * matrices)
    with_it = count_flops(lambda: model(ids).sum())
    assert with_it.forward - alone.forward == scores


def test_the_formulas_make_no_difference_when_attention_is_done_by_hand():
    ids = torch.zeros(3, 16, dtype=torch.long)
    model = language_model("manual")
    assert count_flops(lambda: model(ids).sum()) == count_flops(
        lambda: model(ids).sum(), cpu_attention=False
    )


def test_attention_with_other_keys_and_values_follows_the_closed_form():
    shapes = (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8)
    q, k, v = (torch.randn(shape, requires_grad=True) for shape in shapes)
    seen = count_flops(lambda: scaled_dot_product_attention(q, k, v).sum())
    assert seen.forward == 2 * 2 * 3 * 5 * 7 * (8 + 8) == attention_forward_flops(*shapes)
    assert seen.backward == 2 * 2 * 3 * 5 * 7 * (3 * 8 + 2 * 8) == attention_backward_flops(*shapes)


def test_the_closed_form_agrees_with_torchs_formula_for_another_fused_kernel():
    from torch.utils.flop_counter import flop_registry

    shapes = (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8)
    q, k, v = (torch.empty(shape, device="meta") for shape in shapes)
    efficient = flop_registry[torch.ops.aten._scaled_dot_product_efficient_attention]
    assert efficient(q, k, v, out_val=q) == attention_forward_flops(*shapes)
    backward = flop_registry[torch.ops.aten._scaled_dot_product_efficient_attention_backward]
    assert backward(q, q, k, v, out_val=q) == attention_backward_flops(*shapes)


def test_the_parts_add_up_to_the_whole():
    model = build(ModelConfig("transformer"))
    seen = count_flops(lambda: model(torch.rand(4, 64)).sum())
    assert sum(seen.forward_by_op.values()) == seen.forward
    assert sum(seen.backward_by_op.values()) == seen.backward
    modules = seen.forward_by_module
    assert modules["CompactTransformer"] == seen.forward
    tops = ("embed", "blocks.0", "blocks.1", "head")
    assert sum(modules[f"CompactTransformer.{name}"] for name in tops) == seen.forward


def test_a_convolution_is_counted_as_by_hand():
    conv = torch.nn.Conv2d(3, 8, 3, padding=1)
    seen = count_flops(lambda: conv(torch.rand(2, 3, 10, 12)).sum())
    assert seen.forward == 2 * 2 * (10 * 12) * 8 * 3 * 3 * 3
    assert seen.backward == seen.forward


def test_without_anything_to_differentiate_the_backward_is_zero():
    seen = count_flops(lambda: torch.ones(2, 3) @ torch.ones(3, 4))
    assert (seen.forward, seen.backward) == (48, 0)
    assert count_flops(lambda: None).total == 0


def test_recomputation_under_checkpointing_is_counted_in_the_backward():
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8), torch.nn.Tanh())
    x = torch.rand(4, 8, requires_grad=True)
    plain = count_flops(lambda: layer(x).sum())
    recomputed = count_flops(lambda: checkpoint(layer, x, use_reentrant=False).sum())
    assert recomputed.forward == plain.forward
    assert recomputed.backward == plain.backward + plain.forward


def test_no_memory_or_time_is_needed_on_meta_tensors():
    with torch.device("meta"):
        model = build(
            ModelConfig("transformer", width=768, heads=12, layers=12, tokens=1024, vocab=50_257)
        )
        ids = torch.zeros(16, 1024, dtype=torch.long)
    matrices, scores = transformer_by_hand(16, 1024, 768, 12, 50_257)
    assert count_flops(lambda: model(ids)).forward == matrices + scores


def test_it_answers_its_known_question_and_notices_a_forged_counter(monkeypatch):
    assert flops.answers_known_question()
    monkeypatch.setattr(flops.FlopCounterMode, "get_flop_counts", lambda self: {"Global": {}})
    assert not flops.answers_known_question()
