"""States that are hard to store, and what comes back of them."""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _state(seed: int) -> dict[str, Any]:
    """Return a state with a value of each kind, drawn from a seed."""
    import numpy as np

    rng = np.random.default_rng(seed)
    wide = rng.standard_normal((4, 6))
    return {
        "generator": rng.bit_generator.state,
        "none": None,
        "true": True,
        "large": int(rng.integers(1 << 62)) << 80,
        "negative": -int(rng.integers(1 << 40)),
        "floats": [float(rng.normal()), float("nan"), float("inf"), -float("inf"), -0.0, 1e-310],
        "text": "état \u2713 " + str(seed),
        "empty": {},
        "nothing": [],
        "array": wide,
        "transposed": wide.T,
        "strided": wide[::2, 1::3],
        "no entries": np.zeros((0, 3), np.float32),
        "no dimension": np.array(rng.normal()),
        "half": rng.standard_normal(5).astype(np.float16),
        "bytes": rng.integers(0, 256, 7).astype(np.uint8),
        "flags": rng.random(9) < 0.5,
        "integers": rng.integers(-(2**62), 2**62, 3) * 2 + 1,
        "unsigned": np.array([2**64 - 1, 2**63 + 1], np.uint64),
        "special": np.array([np.nan, np.inf, -np.inf, -0.0]),
        # NaN of two kinds more: one with a sign, one with a number inside
        "bits": np.array([0xFFF8 << 48, (0x7FF8 << 48) + 77], np.uint64).view(np.float64),
        "foreign": (np.arange(3) / 8).astype(">f8"),
        "": wide[:1],
        "a/b.npy": wide[1:2],
        "file": {"array": wide[2:3], "": {"": []}},
        "a line\nand another": "\n\0",
        "array0": {"array": "array0", "dict": [["a", 1]], "json": [wide[0], [wide[1]]]},
        "__array__": "text",
    }


def described(stage: Any, case: dict[str, Any]) -> Any:
    """Return the state itself, described."""
    return _told(_state(case["seed"]))


def packed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Pack a state, with a tuple and NumPy numbers besides, and leave the bytes in a file."""
    import numpy as np

    state = _state(case["seed"])
    more = {"tuple": (1, (2.5, "a")), "numbers": [np.int64(7), np.float32(0.1), np.bool_(True)]}
    before = _told(state)
    data = stage.pack_state({**state, "more": more})
    is_bytes = isinstance(data, bytes)
    if is_bytes:
        Path(case["file"]).write_bytes(data)
    nothing = stage.unpack_state(stage.pack_state({})) == {}
    return {"bytes": is_bytes, "kept": _told(state) == before, "nothing": nothing}


def unpacked(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Unpack the bytes of a file; describe what is in them, and whether anything was unpickled."""
    found: list[str] = []

    def hook(event: str, arguments: Any) -> None:
        if event == "pickle.find_class":
            found.append(str(arguments[1]))

    data = Path(case["file"]).read_bytes()
    sys.addaudithook(hook)
    state = stage.unpack_state(data)
    return {"state": _told(state), "pickled": found[:3]}


def unpacked_damaged(stage: Any, case: dict[str, Any]) -> list[str]:
    """Unpack bytes that are not whole; return for each what became of it."""
    import numpy as np

    data = stage.pack_state(_state(case["seed"]))
    small = stage.pack_state({"w": np.arange(5) / 8, "step": case["seed"], "note": ["a", None]})
    each = [bytearray(small) for _ in small]
    for place, damaged in enumerate(each):
        damaged[place] ^= 1 << (place % 8)
    exchanged = [
        small[:place] + small[place : place + 2][::-1] + small[place + 2 :]
        for place in range(len(small) - 1)
        if small[place] != small[place + 1]
    ]
    bits = [int(share * len(data)) for share in case["places"]]
    changed = [bytearray(data) for _ in bits]
    for damaged, place in zip(changed, bits, strict=True):
        damaged[place] ^= 1 << (place % 8)
    objects = io.BytesIO()
    np.savez(objects, json=np.array([{"a": 1}], dtype=object))
    given: list[bytes] = [
        *(data[: int(share * len(data))] for share in case["places"]),
        data[:-1],
        *map(bytes, changed),
        data + b"\0",
        b"",
        data + data,
        pickle.dumps({"w": 1}),
        objects.getvalue(),
    ]
    seen = [_outcome(lambda one=one: stage.unpack_state(one)) for one in given]
    for damaged_ones in (each, exchanged):
        outcomes = (_outcome(lambda x=x: stage.unpack_state(bytes(x))) for x in damaged_ones)
        seen.append(next((one for one in outcomes if one != "refused"), "refused"))
    return seen


def packing_refused(stage: Any, case: dict[str, Any]) -> list[str]:
    """Pack what is no state; return for each what became of it."""
    import numpy as np

    class Own:
        pass

    values: list[Any] = [
        {"a": {1, 2}}, {"a": Own()}, {"a": np.array([Own()])}, {"a": np.array(["text"])},
        {"a": np.zeros(2, complex)}, {1: 2.0}, {"a": [{"b": {2: 3}}]}, {"a": [1, b"bytes"]},
        {"a": np.array(["2026-01-01"], "datetime64[D]")}, {"a": 1j}, {"a": range(3)}, {None: 1},
        {"a": np.zeros(2, [("x", float)])}, {"a": np.array([3], "timedelta64[s]")},
        {"a": np.array([b"bytes"])},
    ]  # fmt: skip
    return [_outcome(lambda one=one: stage.pack_state(one)) for one in values]


def _outcome(run: Callable[[], Any]) -> str:
    """Return ``"refused"`` for a ValueError, else what happened instead."""
    try:
        run()
    except NotImplementedError:
        raise
    except ValueError:
        return "refused"
    except Exception as error:
        return type(error).__name__
    return "accepted"


def _told(value: Any) -> Any:
    """Return a value as plain data that keeps kinds, dtypes, shapes and bits; keys are sorted."""
    import numpy as np

    if isinstance(value, dict):
        return {"dict": sorted([str(key), _told(item)] for key, item in value.items())}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_told(item) for item in value]}
    if isinstance(value, np.ndarray | np.generic):
        kind = "array" if isinstance(value, np.ndarray) else "number"
        native = value.astype(value.dtype.newbyteorder("="))
        return {kind: [native.dtype.str, list(value.shape), native.tobytes()]}
    if isinstance(value, float):
        return {"float": value.hex()}
    return {type(value).__name__: repr(value)}
