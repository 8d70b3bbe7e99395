"""Hidden checks of checkpoint_by_hand (8.6.l): results, calls, bytes, and whose code ran."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

from .cut import KIB, WORDS, model_case, same_step


@check("8.6.l", row="optimization_validity", level="pass")
def test_gradients_by_hand(student, reference, draw, expect):
    """All gradients are there and the same, also where the input is data, by both calls."""
    keys = ("output", "input", "gradients")
    cases = {
        "data": {},
        "an input that needs a gradient": {"input_grad": True},
        "frozen parameters": {"frozen": True},
        "a batch of one": {"batch": 1},
        "an empty batch": {"batch": 0},
        "a transposed view": {"view": True, "input_grad": True},
        "frozen blocks": {"frozen": "all", "input_grad": True},
        "blocks without parameters": {"kind": "bare", "input_grad": True},
        "a parameter that is not used": {"kind": "idle"},
        "evaluation mode": {"evaluation": True, "drop": 0.4},
        "some layers in evaluation mode": {"evaluated": [0, 2], "drop": 0.4},
    }
    for name, more in cases.items():
        case = model_case(draw, **more)
        same_step(student, reference, expect, case, name, keys=keys, probe="by_hand")
    case = model_case(draw, by_grad=True, input_grad=True)
    keys = ("output", "found")
    same_step(student, reference, expect, case, "torch.autograd.grad", keys=keys, probe="by_hand")


@check("8.6.l", row="optimization_validity", level="strong")
def test_masks_by_hand(student, reference, draw, expect):
    """With dropout the gradients belong to the forward's masks, and the generator is put back."""
    for between in (0, draw.integer(1, 9)):
        case = model_case(draw, drop=0.4, between=between)
        keys = ("output", "gradients")
        seen = same_step(student, reference, expect, case, "dropout", keys=keys, probe="by_hand")
        expect.that(not seen["moved"], "The backward has moved torch's generator.")


@check("8.6.l", row="optimization_validity", level="pass")
def test_kept_by_hand(student, draw, expect):
    """Only inputs of blocks stay alive, each block is called twice."""
    for name, more in (("trained", {}), ("frozen", {"frozen": "all", "input_grad": True})):
        case = model_case(draw, d=32, h=128, batch=256, **more)
        seen = watched(student, expect, "by_hand", case)
        width = 4 * case["batch"] * case["d"]
        most = case["n"] * (width + 8 * KIB)
        what = f"bytes the forward leaves alive ({name} blocks)"
        expect.between(seen["live"], width, most, what=what, unit="B")
        expect.equal(seen["calls"], [2] * case["n"], what=f"calls of each block ({name} blocks)")


@check("8.6.l", row="optimization_validity", level="pass")
def test_nothing_borrowed(student, draw, expect):
    """torch.utils.checkpoint is not used."""
    seen = watched(student, expect, "by_hand", model_case(draw))
    note = "torch.utils.checkpoint was called: here the checkpoint is to be your own."
    expect.that(not seen["borrowed"], note, seen["borrowed"] or None)


@check("8.6.l", row="optimization_validity", level="pass", device="cuda")
def test_masks_by_hand_on_a_device(student, reference, draw, expect):
    """On a device, too, the gradients belong to the forward's dropout masks."""
    case = model_case(draw, drop=0.4, device="cuda", d=64, h=128, batch=64)
    seen, plain = student.run("by_hand", case), reference.run("plain_step", case)
    for key in ("output", "gradients"):
        expect.close(seen[key], plain[key], rtol=1e-4, atol=1e-4, what=f"{WORDS[key]} on a device")
