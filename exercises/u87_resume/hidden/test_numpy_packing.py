"""Hidden checks of pack_state and unpack_state: what goes in comes out, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.checks import check


def _case(student: Any, draw: Any) -> dict[str, Any]:
    return {"seed": draw.integer(0, 10**6), "file": str(Path(student.scratch, "state.bin"))}


def _entries(value: Any) -> list[Any]:
    """Return the entries of a described dict."""
    held = value.get("dict") if isinstance(value, dict) else None
    return held if isinstance(held, list) else []


@check("8.7.c", row="resume")
def test_every_kind_of_value_comes_back(student, reference, draw, expect):
    """A state with every kind of value comes back in another process, bit for bit."""
    case = _case(student, draw)
    true = _entries(reference.run("described", case))
    seen = student.run("packed", case)
    expect.that(seen["bytes"], "pack_state does not return bytes.")
    expect.that(seen["kept"], "pack_state changed the state.")
    expect.that(seen["nothing"], "The empty state does not come back as it is.")
    found = dict(map(tuple, _entries(student.fresh().run("unpacked", case)["state"])))
    for name, value in true:
        expect.that(name in found, f"The entry {name!r} did not come back.")
        kind = next(iter(value))
        words = {"array": f"The array {name!r} came back with other bits, dtype or shape."}
        same = found[name] == value
        expect.that(same, words.get(kind, f"The entry {name!r} ({kind}) came back as another."))
    more = found.get("more")
    wanted = {
        "tuple": {"list": [{"int": "1"}, {"list": [{"float": (2.5).hex()}, {"str": "'a'"}]}]},
        "numbers": {
            "list": [{"int": "7"}, {"float": "0x1.99999a0000000p-4"}, {"bool": "True"}],
        },
    }
    entries = dict(map(tuple, _entries(more)))
    expect.that(entries.get("tuple") == wanted["tuple"], "A tuple did not come back as a list.")
    numbers = entries.get("numbers") == wanted["numbers"]
    expect.that(numbers, "NumPy's numbers did not come back as the Python numbers they equal.")


@check("8.7.c", row="resume")
def test_what_is_no_state_is_refused(student, draw, expect):
    """Sets, objects, bytes, complex numbers, arrays of them and keys but text are refused."""
    names = [
        "a set", "an object", "an array of objects", "an array of text",
        "an array of complex numbers",
        "a number as key", "a number as key, deep inside", "bytes", "an array of dates",
        "a complex number", "a range", "None as key", "an array of records",
        "an array of time spans", "an array of bytes",
    ]  # fmt: skip
    seen = student.run("packing_refused", {})
    for name, outcome in zip(names, seen, strict=True):
        word = "accepted" if outcome == "accepted" else f"met with {outcome}"
        expect.that(outcome == "refused", f"{name} is {word}; it must raise ValueError.")


@check("8.7.d", row="resume")
def test_damaged_bytes_are_refused(student, draw, expect):
    """Bytes that are cut short, continued, or changed in one bit are refused."""
    places = [0.0, 0.001, 0.03, 0.3, 0.97, 0.999, *(draw.uniform(0, 1) for _ in range(8))]
    seen = student.run("unpacked_damaged", {"seed": draw.integer(0, 10**6), "places": places})
    names = [
        *(f"bytes cut short at {100 * share:.1f} %" for share in places), "the last byte cut off",
        *(f"one bit changed at {100 * share:.1f} %" for share in places), "a byte more at the end",
        "no bytes", "the same bytes twice", "a pickle", "an npz with a pickle inside",
        "one bit changed, in one byte of a small state after the other",
        "two bytes exchanged, one pair of neighbours in a small state after the other",
    ]  # fmt: skip
    for name, outcome in zip(names, seen, strict=True):
        word = "accepted" if outcome == "accepted" else f"met with {outcome}"
        expect.that(outcome == "refused", f"{name}: {word}; it must raise ValueError.")


@check("8.7.d", row="resume")
def test_nothing_is_unpickled(student, draw, expect):
    """Reading a state runs no pickle."""
    case = _case(student, draw)
    student.run("packed", case)
    seen = student.fresh().run("unpacked", case)["pickled"]
    shown = ", ".join(map(str, seen))
    message = (
        f"Reading looked {shown} up for a pickle: whoever writes the file could name any other."
    )
    expect.that(not seen, message)
