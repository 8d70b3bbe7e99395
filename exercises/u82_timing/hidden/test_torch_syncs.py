"""Hidden checks of host_syncs (8.2.j) on programs whose syncs are known by their text."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.checks import check
from grader.checks.compare import show
from grader.checks.numbers import is_finite

SYNCS = {
    "one.item()": "item",
    "t.tolist()": "tolist",
    "t.numpy()": "numpy",
    "t.cpu()": "cpu",
    "t.nonzero()": "nonzero",
    "t.nonzero(as_tuple=True)": "nonzero",
    "torch.nonzero(t)": "nonzero",
    "torch.masked_select(t, mask)": "masked_select",
    "t.masked_select(mask)": "masked_select",
    "torch.unique(t)": "unique",
    "t.unique()": "unique",
    "torch.equal(t, t)": "equal",
    "t.equal(t)": "equal",
    "torch.allclose(t, t)": "allclose",
    "t.allclose(t)": "allclose",
    "bool(one)": "__bool__",
    "not one": "__bool__",
    "one if one > 2 else t": "__bool__",
    "float(one)": "__float__",
    "int(one)": "__int__",
    "[0, 1, 2, 3][count]": "__index__",
    "range(count)": "__index__",
    "np.asarray(t)": "__array__",
    "print(one)": "__repr__",
    "str(t)": "__repr__",
    "f'{one}'": "__format__",
    "f'{one:.3f}'": "__format__",
    "t[mask]": "mask index",
    "t[t > 2]": "mask index",
    "torch.ones(6, 2)[mask, 0]": "mask index",
    "t.clone().__setitem__(mask, 0.0)": "mask index",
    "t.clone()[..., mask] = 0.0": "mask index",
}
"""What waits, and the name of the sync."""

QUIET = (
    "t.sum()", "t.max()", "t[picks]", "t[1:3]", "t[None]", "t.shape", "len(t)", "t.to('cpu')",
    "t.detach()", "torch.where(mask, t, -t)", "t.mean().clamp(min=0)", "t.clone().fill_(2)",
    "t.clone().__setitem__(picks, 0.0)", "torch.stack([one, one])", "t.dim()", "t.numel()",
    "t > 2", "mask & mask", "t.index_select(0, picks)", "t.requires_grad", "one is None", "3 in t",
)  # fmt: skip
"""What does not wait, what nobody can tell on a CPU, and a wait that is not asked for."""


NOT_TORCHS = {
    "{torch}vision/ops/step.py": "a file of torchvision, a folder beside torch's",
    "{torch}_step.py": "a file beside torch's folder",
    "/home/me/torch_course/step.py": "the file /home/me/torch_course/step.py",
    "/home/me/torch/nn/step.py": "the file /home/me/torch/nn/step.py",
    "<string>": "a text that is no file",
}
"""Files that are not in torch's own folder, and words for them."""


def _program(lines):
    """Return a program whose `step` has these lines, from line 2 on."""
    return "def step():\n" + "\n".join(f"    {line}" for line in lines) + "\n"


def _line(value: Any) -> str:
    """Return a number of a line as text: by how much a wrong one is off says nothing."""
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value.item()
    whole = is_finite(value) and value == int(value)
    return f"line {int(value) if whole else show(value)}"


def _found(student, expect, text, what, file="step.py"):
    """Return the names of the syncs that were found, and their lines as text."""
    seen = student.run("found_syncs", {"text": text, "file": file})
    expect.equal(seen["ran"], 1, what=f"times that the function ran ({what})")
    expect.equal(seen["raised"], "", what=f"what was raised ({what})")
    expect.equal(seen["modes left"], 0, what=f"modes that are still on afterwards ({what})")
    listed = isinstance(seen["syncs"], list)
    expect.that(listed, f"host_syncs must return a list ({what}).", seen["syncs"])
    for sync in seen["syncs"]:
        expect.keys(sync, ["name", "line"], what=f"a sync ({what})")
    return [[sync["name"], _line(sync["line"])] for sync in seen["syncs"]]


@check("8.2.j", row="timing", level="pass")
def test_every_kind_of_sync_is_named(student, draw, expect):
    """Each call that waits is found once, under its name, whatever it does inside itself."""
    for code, name in draw.shuffled(list(SYNCS.items())):
        text = _program([code])
        found = _found(student, expect, text, f"`{code}`")
        names = [name for name, _ in found]
        expect.equal(names, [name], what=f"syncs in `{code}`")


@check("8.2.j", row="timing", level="pass")
def test_what_does_not_wait_is_not_reported(student, draw, expect):
    """Arithmetic, shapes, slices and indices that are no masks are not reported."""
    for code in draw.shuffled(QUIET):
        text = _program([code])
        expect.equal(_found(student, expect, text, f"`{code}`"), [], what=f"syncs in `{code}`")


@check("8.2.j", row="timing", level="pass")
def test_syncs_come_with_their_lines(student, draw, expect):
    """In a program of many lines the syncs come in their order, each with its line."""
    lines, want = [], []
    # some calls pass through torch's own Python before they reach a watcher
    through = ["print(one)", "f'{one:.3f}'", "t.unique()", "one.item()", "t[mask]"]
    some = [draw.choice([*SYNCS, *QUIET]) for _ in range(draw.integer(8, 16))]
    for number, code in enumerate(draw.shuffled([*through, *some])):
        lines.append(code)
        if code in SYNCS:
            want.append([SYNCS[code], _line(number + 2)])
    lines += ["for _ in range(3):", "    one.item()"]
    want += [["item", _line(len(lines) + 1)]] * 3
    text = _program(lines)
    expect.equal(
        _found(student, expect, text, "a program"), want, what="names and lines of the syncs"
    )


@check("8.2.j", row="timing", level="pass")
def test_syncs_in_helpers_and_in_libraries(student, draw, expect):
    """A sync in a helper is at the helper's line, one inside torch at the line that calls torch."""
    parameters = draw.integer(1, 4)
    text = "\n".join(
        [
            "def helper(value):", "    return value.item()", "",
            f"weights = [torch.nn.Parameter(torch.ones(2)) for _ in range({parameters})]",
            "optimizer = torch.optim.AdamW(weights, foreach=False)",
            "for weight in weights:", "    weight.grad = torch.ones(2)", "optimizer.step()", "",
            "def step():", "    helper(one)", "    optimizer.step()", "    helper(t.sum())", "",
        ]
    )  # fmt: skip
    found = _found(student, expect, text, "helpers and an optimizer")
    inside = [["item", _line(12)]] * parameters
    want = [["item", _line(2)], *inside, ["item", _line(2)]]
    expect.equal(found, want, what="syncs of a helper and of AdamW, which reads its step counters")


@check("8.2.j", row="timing", level="pass")
def test_torchs_own_folder_is_one_folder(student, draw, expect):
    """Code beside torch's own folder, or with torch in its path, has lines of its own."""
    text = "\n".join(["def helper(value):", "    return value.item()", "",
                      "def step():", "    helper(one)", "    t.unique()", ""])  # fmt: skip
    want = [["item", _line(2)], ["unique", _line(6)]]
    for file, words in draw.shuffled(list(NOT_TORCHS.items())):
        found = _found(student, expect, text, words, file)
        expect.equal(found, want, what=f"names and lines of the syncs in {words}")


@check("8.2.j", row="timing", level="pass")
def test_an_error_goes_on_and_leaves_nothing_behind(student, draw, expect):
    """What the function raises goes on to the caller, and no mode stays on."""
    text = _program(["one.item()", "1 / 0"])
    seen = student.run("found_syncs", {"text": text})
    expect.equal(seen["raised"], "ZeroDivisionError", what="what the function raised")
    expect.equal(seen["ran"], 1, what="times that the function ran before it raised")
    expect.equal(seen["modes left"], 0, what="modes that are still on afterwards")
