"""Hidden checks of transformer_step_flops (8.9.d) by its products and by printed figures."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from grader.checks import check
from grader.checks.many import exact, refusals, refused, values_of

STEP_KEYS = ("attention", "head", "forward", "backward", "model", "recomputed", "hardware")


@check("8.9.d", row="prediction", level="pass")
def test_attention_convention_is_named(student, draw, expect):
    """The three conventions differ in the attention term alone, and by a factor of two."""
    layers, d, tokens = draw.integer(2, 5), 8 * draw.integer(2, 9), draw.integer(10, 60)
    batch, vocabulary = draw.integer(2, 6), draw.integer(70, 200)
    blocks = layers * batch * tokens * 24 * d * d
    head = 2 * batch * tokens * d * vocabulary
    pair = 2 * layers * batch * tokens**2 * d
    for word, scores in (("full", 2 * pair), ("causal", pair), ("none", 0)):
        got = student.numpy.transformer_step_flops(
            layers, d, tokens, batch, vocabulary, attention=word
        )
        forward = blocks + head + scores
        expect.keys(got, STEP_KEYS, what="the result")
        for key, size in (
            ("attention", scores),
            ("head", head),
            ("forward", forward),
            ("backward", 2 * forward),
            ("model", 3 * forward),
        ):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with attention={word!r}", unit="FLOP"
            )
    refused(
        student,
        expect,
        "if attention is an unknown word",
        "transformer_step_flops",
        layers,
        d,
        tokens,
        batch,
        vocabulary,
        "flash",
    )


@check("8.9.d", row="prediction", level="pass")
def test_what_checkpointing_runs_again(student, draw, expect):
    """Full recomputation runs the blocks again, not the output layer; the model's work stays."""
    layers, d, tokens, batch, vocabulary = draw.integer(2, 5), 32, 40, 3, draw.integer(50, 90)
    blocks = layers * batch * tokens * 24 * d * d
    head, scores = 2 * batch * tokens * d * vocabulary, 4 * layers * batch * tokens**2 * d
    model = 3 * (blocks + head + scores)
    for word, again in (("none", 0), ("attention", scores), ("full", blocks + scores)):
        got = student.numpy.transformer_step_flops(
            layers, d, tokens, batch, vocabulary, recompute=word
        )
        expect.keys(got, STEP_KEYS, what="the result")
        for key, size in (("model", model), ("recomputed", again), ("hardware", model + again)):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with recompute={word!r}", unit="FLOP"
            )


@check("8.9.d", row="prediction", level="strong")
def test_published_transformers(student, expect):
    """GPT-2, GPT-2 medium and Megatron 1.7B come out as their authors printed them."""
    gpt2 = student.numpy.transformer_step_flops(12, 768, 1024, 1, 50257)
    expect.keys(gpt2, STEP_KEYS, what="the result")
    expect.equal(gpt2["head"], 79047426048, what="output layer of nanoGPT's GPT-2", unit="FLOP")
    expect.equal(gpt2["model"], 874944921600, what="step of nanoGPT's GPT-2", unit="FLOP")
    medium = student.numpy.transformer_step_flops(24, 1024, 1024, 1, 0, attention="causal")
    expect.keys(medium, STEP_KEYS, what="the result")
    expect.equal(
        medium["forward"],
        654311424 * 1024,
        unit="FLOP",
        what="forward of GPT-2 medium after Kaplan et al.",
    )
    # arXiv:2104.04473, equation 3: 96 B s l h^2 (1 + s / 6h + V / 16lh), with recomputation
    megatron = student.numpy.transformer_step_flops(24, 2304, 2048, 512, 51200, recompute="full")
    expect.keys(megatron, STEP_KEYS, what="the result")
    expect.close(
        megatron["hardware"],
        1.5466830067924994e16,
        rtol=1e-9,
        unit="FLOP",
        what="iteration of Megatron 1.7B",
    )
    # 80 blocks of width 12288 on 3e8 tokens: above what int64 holds
    large = student.numpy.transformer_step_flops(80, 12288, 2048, 150000, 51200, "none")
    expect.keys(large, STEP_KEYS, what="the result")
    weights = 80 * 12 * 12288**2 + 12288 * 51200
    expect.close(
        large["model"],
        6 * weights * 150000 * 2048,
        rtol=1e-12,
        unit="FLOP",
        what="6 N D of a 145B model",
    )


def _transformer(sizes, attention="full", recompute="none"):
    """Return the step's FLOPs, product by product."""
    L, d, T, B, V = sizes
    tokens = B * T
    block = [(tokens, d, 3 * d), (tokens, d, d), (tokens, d, 4 * d), (tokens, 4 * d, d)]
    scores = Fraction({"full": 2, "causal": 1, "none": 0}[attention], 2) * L * 4 * B * T * T * d
    head, blocks = 2 * math.prod((tokens, d, V)), L * sum(2 * math.prod(p) for p in block)
    forward = int(blocks + scores + head)
    again = int({"none": 0, "attention": scores, "full": blocks + scores}[recompute])
    return {
        "forward": forward, "attention": int(scores), "head": head, "backward": 2 * forward,
        "model": 3 * forward, "recomputed": again, "hardware": 3 * forward + again,
    }  # fmt: skip


@check("8.9.d", row="prediction", level="pass")
def test_every_transformer_exactly(student, draw, expect):
    """All conventions and all recomputations, exactly, without an output layer and beyond int64."""
    words = {"attention": ("full", "causal", "none"), "recompute": ("none", "attention", "full")}
    cases = []
    for attention, recompute in product(*words.values()):
        for sizes in (
            draw.integers(1, 60, 5),
            [*draw.integers(1, 60, 4), 0],
            [draw.integer(1, 60), *draw.integers(10**5, 10**6, 4)],
            [draw.integer(0, 1) * size for size in draw.integers(1, 9, 5)],
        ):
            cases.append((sizes, {"attention": attention, "recompute": recompute}))
            cases.append(((*sizes, attention, recompute), {}))
    sizes = draw.integers(2, 30, 5)
    cases += [(sizes, {}), (sizes, {"attention": "causal"}), (sizes, {"recompute": "full"})]
    values = values_of(student, expect, "transformer_step_flops", cases)
    for (arguments, named), (told, got) in zip(cases, values, strict=True):
        exact(expect, got, _transformer(arguments[:5], *arguments[5:], **named), told)


@check("8.9.d", row="prediction", level="pass")
def test_transformers_that_cannot_be(student, draw, expect):
    """A negative size and an unknown word are refused, each of them."""
    good = draw.integers(1, 9, 5)
    cases = []
    for index, name in enumerate("LdTBV"):
        bad = [*good]
        bad[index] *= -1
        cases.append((f"if {name} is negative", bad, {}))
        other = [*bad]
        other[index - 1] *= -1
        cases.append((f"if {name} and another size are negative", other, {}))
        other = [*bad]
        other[index - 1] = 0
        cases.append((f"if {name} is negative and another size is 0", other, {}))
    for word in ("flash", "", "half"):
        cases.append((f"if attention is {word!r}", good, {"attention": word}))
    for word, attention in product(("some", "", "causal"), ("full", "none")):
        named = {"attention": attention, "recompute": word}
        cases.append((f"if recompute is {word!r}", good, named))
    refusals(student, expect, "transformer_step_flops", cases)
