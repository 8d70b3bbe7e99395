"""Hidden checks of reconcile_flops (8.9.m) against counts in closed form."""

from __future__ import annotations

from itertools import combinations

from grader.checks import check
from grader.checks.watched import watched
from grader.sandbox.limits import Limits

RECONCILED = ("hand", "counted", "missing", "excluded", "included", "unexplained")


def _model(draw):
    """Return sizes of the probe's attention and the hand count of its forward."""
    # with these t and d no two different sets of terms have the same sum
    b, t, h = draw.integer(2, 3), draw.integer(10, 11), draw.integer(2, 3)
    d = h * draw.integer(5, 9)
    pair = 2 * b * t * t * d
    hand = {"qkv": 6 * b * t * d * d, "scores": pair, "values": pair,
            "projection": 2 * b * t * d * d}  # fmt: skip
    return {"b": b, "t": t, "d": d, "h": h}, hand


def _reconcile(student, expect, sizes, hand, kind, backward=False):
    case = {**sizes, "kind": kind, "backward": backward, "hand": hand}
    return _reported(expect, watched(student, expect, "reconciled", case))


def _reported(expect, seen):
    expect.keys(seen["report"], RECONCILED, what="the result")
    return seen["report"]


def _fewest(hand, missing):
    """Return the sets of as few terms as possible that add up to what is missing."""
    for size in range(len(hand) + 1):
        found = [names for names in combinations(hand, size)
                 if sum(hand[name] for name in names) == missing]  # fmt: skip
        if found:
            return [list(names) for names in found]
    return [[]]


@check("8.9.m", row="prediction", level="pass")
def test_attention_is_named_as_not_counted(student, draw, expect):
    """On a CPU the counter misses the fused attention, and the report says so by name."""
    sizes, hand = _model(draw)
    hand = {"qkv": hand["qkv"], "attention": 2 * hand["scores"], "projection": hand["projection"]}
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    total = sum(hand.values())
    want = {"hand": total, "counted": total - hand["attention"], "missing": hand["attention"],
            "unexplained": 0}  # fmt: skip
    expect.equal({key: got[key] for key in want}, want, what="the numbers", unit="FLOP")
    expect.equal(got["excluded"], ["attention"], what="excluded")
    expect.equal(got["included"], ["qkv", "projection"], what="included")
    manual = _reconcile(student, expect, sizes, hand, "manual")
    want = {"missing": 0, "excluded": [], "included": list(hand), "unexplained": 0}
    expect.equal({key: manual[key] for key in want}, want, what="attention by hand")


@check("8.9.m", row="prediction", level="pass")
def test_several_terms_and_none(student, draw, expect):
    """Two missing terms are both named, and a gap that no term explains stays unexplained."""
    sizes, hand = _model(draw)
    b, t, d = sizes["b"], sizes["t"], sizes["d"]
    qkv = hand["qkv"]
    hand = {"qkv": qkv, "attention": 2 * hand["scores"], "projection": hand["projection"],
            "softmax": 3 * b * sizes["h"] * t * t}  # fmt: skip
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    expect.equal(got["excluded"], ["attention", "softmax"], what="excluded")
    expect.equal(got["included"], ["qkv", "projection"], what="included")
    # one step: the data needs no gradient, so the first product has one backward product
    step = {"forward": qkv + 4 * b * t * t * d + hand["projection"], "qkv_weights": qkv,
            "qkv_input": qkv, "attention_backward": 8 * b * t * t * d,
            "projection_backward": 2 * hand["projection"]}  # fmt: skip
    got = _reconcile(student, expect, sizes, step, "manual", backward=True)
    expect.equal(got["missing"], qkv, what="missing of a step after the 3x rule", unit="FLOP")
    fine = got["excluded"] in (["qkv_weights"], ["qkv_input"])
    why = "The first product's input gradient is what is missing."
    expect.that(fine, why, None if fine else got["excluded"])
    wrong = {**hand, "projection": hand["projection"] + 1}
    got = _reconcile(student, expect, sizes, wrong, "sdpa")
    want = {"excluded": [], "included": list(wrong), "unexplained": got["missing"]}
    expect.equal({key: got[key] for key in want}, want, what="a gap that no term explains")
    short = {"qkv": qkv}
    got = _reconcile(student, expect, sizes, short, "sdpa")
    expect.equal(got["unexplained"], -hand["projection"], unit="FLOP",
                 what="unexplained when the counter saw more")  # fmt: skip


@check("8.9.m", row="prediction", level="pass")
def test_the_fewest_terms_in_their_order(student, draw, expect):
    """Of the sets that explain what is missing the smallest is named, in the hand count's order."""
    sizes, plain = _model(draw)
    seen = plain["qkv"] + plain["projection"]
    for missing in (seen // 3, seen // 5):
        part = draw.integer(missing // 9, missing // 3)
        # the pair adds up to the same as the single term, and only one of the two is needed
        hand = {"scores": part, "values": missing - part, "attention": missing,
                "rest": seen - missing}  # fmt: skip
        for names in (list(hand), list(hand)[::-1]):
            turned = {name: hand[name] for name in names}
            got = _reconcile(student, expect, sizes, turned, "sdpa")
            expect.one_of(got["excluded"], _fewest(turned, missing), what="excluded")
    # four of six are missing, in an order that is neither that of their names nor of their sizes
    pair = 2 * plain["scores"]
    extra = {
        "mask": 2 * pair + 1,
        "softmax": pair + 3,
        "bias": 5 * pair + 7,
        "scale": 3 * pair + 17,
    }
    names = ["qkv", "mask", "softmax", "bias", "projection", "scale"]
    hand = {name: extra.get(name) or plain[name] for name in names}
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    expect.one_of(got["excluded"], _fewest(hand, sum(extra.values())), what="excluded")
    expect.equal(got["unexplained"], 0, what="unexplained", unit="FLOP")
    # one FLOP that no set of sixteen even terms explains: each set is tried once, not each order
    many = {f"{draw.name()}_{number}": 2 * draw.integer(1, 99) for number in range(15)}
    many["rest"] = seen + 1 - sum(many.values())
    case = {**sizes, "kind": "sdpa", "backward": False, "hand": many}
    got = _reported(expect, watched(student, expect, "reconciled", case, Limits(wall=8.0, cpu=8.0)))
    expect.equal(got["included"], list(many), what="included when no set explains what is missing")


@check("8.9.m", row="prediction", level="pass")
def test_one_quiet_run_of_the_step(student, draw, expect):
    """The step runs once, as it is; neither its output nor the hand count is touched."""
    sizes, hand = _model(draw)
    case = {**sizes, "kind": "sdpa", "backward": False, "hand": hand}
    seen = watched(student, expect, "reconciled", case)
    expect.equal(len(seen["gradients"]), 1, what="runs of the step")
    expect.equal(seen["gradients"], [True], what="whether gradients are on in the step")
    quiet = "% Total" not in seen["printed"]
    expect.that(quiet, "The counter's table is on stdout: FlopCounterMode(display=False).")
    expect.equal(list(seen["hand"].items()), list(hand.items()), what="the hand count afterwards")
