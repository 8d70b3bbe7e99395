"""Hidden checks of check_amp_config (8.4.m): set-ups that would train something else."""

from __future__ import annotations

from grader.checks import check

from .asked import HALVES, absent_devices, quietly, value_of


def _problems(student, expect, configurations):
    answers = quietly(student, expect, "configured", {"configurations": configurations})
    expect.equal(len(answers), len(configurations), what="number of answers")
    found = []
    for answer in answers:
        value = value_of(expect, answer, "check_amp_config")
        fine = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
        expect.that(fine, "check_amp_config must return a list of words.", value)
        found.append([str(word) for word in value])
    return found


def _one(scaler, dtype="float16", device="cpu", **more):
    return {"scaler": scaler, "dtype": dtype, "device": device, **more}


@check("8.4.m", row="fault_repair", level="pass")
def test_configurations_that_are_sound(student, draw, expect):
    """float16 with a scaler and bfloat16 with or without one are sound; frozen halves may be."""
    half = draw.choice(HALVES)
    cases = {
        "float16 with a scaler": _one("cpu"),
        "bfloat16 without one": _one("none", "bfloat16"),
        "bfloat16 with a disabled one": _one("disabled", "bfloat16"),
        "bfloat16 with an enabled one": _one("cpu", "bfloat16"),
        "a torch.device": _one("cpu", as_object=True),
        f"a frozen {half} layer": _one("cpu", half=2, half_dtype=half, frozen=2),
    }
    for got, what in zip(_problems(student, expect, list(cases.values())), cases, strict=True):
        expect.equal(got, [], what=f"problems of {what}")


@check("8.4.m", row="fault_repair", level="pass")
def test_device_that_is_not_there(student, reference, expect):
    """Autocast for an absent device is told, with any dtype, and so is every other problem."""
    for device in absent_devices(reference):
        cases = [
            _one("cpu", "float16", device),
            _one("none", "bfloat16", device, as_object=True),
            _one("none", "float32", device),
        ]
        got = _problems(student, expect, cases)
        want = [["device_absent"], ["device_absent"], ["device_absent", "dtype_unsupported"]]
        for problems, true, one in zip(got, want, cases, strict=True):
            expect.equal(problems, true, what=f"problems of {one['dtype']} autocast for {device}")


@check("8.4.m", row="fault_repair", level="pass")
def test_scaler_that_is_not_on(student, reference, draw, expect):
    """float16 needs a scaler that is enabled: the one without a device is off on a CPU."""
    enabled = reference.run("machine", {})["default_enabled"]
    cases = [_one("none"), _one("disabled"), _one("default"), _one("cpu")]
    got = _problems(student, expect, cases)
    want = [["no_scaler"], ["no_scaler"], [] if enabled else ["no_scaler"], []]
    for problems, true, one in zip(got, want, cases, strict=True):
        expect.equal(problems, true, what=f"problems of float16 with the scaler: {one['scaler']}")


@check("8.4.m", row="fault_repair", level="pass")
def test_parameters_without_master_copy(student, draw, expect):
    """One trained parameter in a half is told, wherever it is; so are several problems in order."""
    half, place = draw.choice(HALVES), draw.choice([2, 3])
    other = {2: 3, 3: 0}[place]
    cases = [
        _one("cpu", half=place, half_dtype=half),
        _one("none", "bfloat16", half=place, half_dtype=half),
        _one("cpu", half=place, half_dtype=half, frozen=other),
        _one("none", "float16", half=place, half_dtype=half),
        _one("none", "float64", half=place, half_dtype=half),
        _one("cpu", half=0, half_dtype=half),
        _one("cpu", half=0, half_dtype="float64"),
        _one("none", "float8_e5m2"),
    ]
    low = "low_precision_parameters"
    want = [[low], [low], [low], ["no_scaler", low], ["dtype_unsupported", low], [low], []]
    want.append(["dtype_unsupported"])
    for got, true, one in zip(_problems(student, expect, cases), want, cases, strict=True):
        layer = f"a {one['half_dtype']} layer" if "half" in one else "float32 layers"
        what = f"problems of {layer}, autocast to {one['dtype']}"
        expect.equal(got, true, what=what)
