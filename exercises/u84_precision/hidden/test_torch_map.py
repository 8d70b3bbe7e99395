"""Hidden checks of unit 8.4: dtypes under autocast, what a cast loses, and configurations."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check

HALVES = ("float16", "bfloat16")


def _run(student, expect, probe, case):
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe})
    changed = ", ".join(map(str, seen["changed"]))
    expect.that(not changed, f"Settings of the process were left changed: {changed}.")
    silent = not seen["warnings"]
    expect.that(silent, "PyTorch warned that autocast or a scaler is off: something else ran.")
    return seen["value"]


def _value(expect, answer, function):
    raised = answer.get("raised")
    told = raised and f"{raised[0]}: {answer.get('message')}"
    expect.that(not raised, f"{function} must not raise here.", told)
    return answer["value"]


def _raised(expect, answer, error, why, function):
    raised = answer.get("raised") or []
    seen = None if error in raised else raised[0] if raised else "no error"
    expect.that(error in raised, f"{function} must raise {error} {why}.", seen)


# 8.4.j dtype_map

PARTS = ("modules", "parameters", "logits", "loss", "gradients")


def _case(draw, **more):
    return {
        "width": draw.integer(4, 9),
        "classes": draw.integer(2, 5),
        "seed": draw.integer(0, 999),
        "training": draw.choice([True, False]),
        **more,
    }


@check("8.4.j", row="optimization_validity", level="pass")
def test_map_as_its_operators_run(student, reference, draw, expect):
    """Each module, parameter, gradient, the logits and the loss have the dtype that was run."""
    for dtype in HALVES:
        case = _case(draw, dtype=dtype)
        want = reference.run("mapped_by_hand", case)
        seen = _run(student, expect, "mapped", case)
        got = _value(expect, seen, "dtype_map")
        expect.keys(got, PARTS, what="the map")
        for part in PARTS:
            expect.equal(got[part], want[part], what=f"{part} under autocast to {dtype}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_model_is_left_as_it_was(student, draw, expect):
    """No hook stays, not even after an error; mode, gradients and dtypes are what they were."""
    for fails in (False, True):
        seen = _run(student, expect, "mapped", _case(draw, fails=fails, dtype=draw.choice(HALVES)))
        when = "after an error in the forward" if fails else "afterwards"
        if fails:
            _raised(expect, seen, "KeyError", "when the model does", "dtype_map")
        else:
            _value(expect, seen, "dtype_map")
        expect.equal(seen["hooks"], 0, what=f"hooks on the model {when}")
        expect.that(seen["training"], f"The training mode of the model has changed {when}.")
        expect.that(seen["old_grad"], f"A gradient that was there has changed {when}.")
        expect.equal(seen["new_grads"], ["head.weight"], what=f"parameters with a .grad {when}")
        expect.equal(seen["dtypes"], ["torch.float32"], what=f"dtypes of the parameters {when}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_backward_outside_autocast(student, draw, expect):
    """The forward runs inside autocast, the backward outside of it."""
    seen = _run(student, expect, "mapped", _case(draw, dtype="bfloat16"))
    _value(expect, seen, "dtype_map")
    expect.that(not seen["backward_in_autocast"], "The backward ran inside autocast.")


@check("8.4.j", row="optimization_validity", level="pass")
def test_absent_device_is_refused(student, reference, draw, expect):
    """Autocast for a device that is not there, or to another dtype, is refused: it would be off."""
    here = reference.run("machine", {})["accelerator"]
    absent = [kind for kind in ("cuda", "mps", "xpu") if kind != here]
    for device in absent:
        seen = _run(student, expect, "mapped", _case(draw, device=device, dtype="bfloat16"))
        _raised(expect, seen, "ValueError", f"for {device}, which is not here", "dtype_map")
        expect.equal(seen["hooks"], 0, what="hooks on the model after a refusal")
    for dtype in ("float32", "float64"):
        seen = _run(student, expect, "mapped", _case(draw, dtype=dtype))
        _raised(expect, seen, "ValueError", f"for {dtype}", "dtype_map")


@check("8.4.j", row="optimization_validity", level="pass", device="cuda")
def test_map_on_cuda(student, expect):
    """On CUDA, LayerNorm and softmax give float32 where the layers around them give float16."""
    seen = student.run("mapped_on_cuda", {})
    if not seen["cuda"]:
        expect.skip("no CUDA device here")
    expect.keys(seen["map"], PARTS, what="the map")
    want = {"0": "float16", "1": "float32", "2": "float32", "3": "float16"}
    expect.equal(seen["map"]["modules"], want, what="modules under float16 autocast on CUDA")


# 8.4.l needs_scaler

KEYS = ("nonzero", "underflow", "overflow", "needed", "largest_scale")
HALF_OF_SMALLEST = {"float16": 2.0**-25, "bfloat16": 2.0**-134}
LARGEST = {"float16": 2.0**15 * (2 - 2.0**-10), "bfloat16": 2.0**127 * (2 - 2.0**-7)}


def _needed(student, expect, case):
    seen = _run(student, expect, "needed", case)
    got = _value(expect, seen, "needs_scaler")
    expect.that(seen["kept"], "needs_scaler changed the gradients.")
    expect.keys(got, KEYS, what="the result")
    return got


def _told(expect, got, want, what):
    for name in KEYS:
        # a share of n entries is a multiple of 1 / n, n below 10**6
        expect.close(got[name], want[name], rtol=1e-6, what=f"{name}, {what}")


def _truth(arrays, dtype, scale, tolerance):
    """Return the answer from the two ends of the dtype alone; ties are not drawn."""
    flat = np.concatenate([a.astype(np.float64).reshape(-1) for a in arrays])
    flat = np.abs(flat[flat != 0])
    scaled, half_step = (
        flat * scale,
        LARGEST[dtype] * (1 + 2.0 ** (-12 if dtype == "float16" else -9)),
    )
    under = float((scaled <= HALF_OF_SMALLEST[dtype]).mean())
    best = 2.0 ** math.floor(math.log2(LARGEST[dtype] / flat.max()))
    while best * flat.max() > LARGEST[dtype]:
        best /= 2
    while 2 * best * flat.max() <= LARGEST[dtype]:
        best *= 2
    return {
        "nonzero": len(flat),
        "underflow": under,
        "overflow": float((scaled >= half_step).mean()),
        "needed": under > tolerance,
        "largest_scale": best,
    }


@check("8.4.l", row="optimization_validity", level="pass")
def test_shares_of_lost_entries(student, draw, expect):
    """Shares are of the nonzero entries of all gradients together, for each scale."""
    shapes = [(40, 3), (5,), (1, 7)]
    arrays = [
        (draw.normal(s) * 10.0 ** draw.rng.integers(-11, 3, s)).astype(np.float32) for s in shapes
    ]
    arrays[0][::3] = 0
    names = ["first_transposed", "second", "third"]
    gradients = dict(zip(names, arrays, strict=True)) | {
        "none": None,
        "empty": np.zeros((0, 4), np.float32),
    }
    for scale in (1.0, 2.0**10, 2.0**16, 2.0**-6):
        tolerance = draw.uniform(0.001, 0.5)
        case = {"gradients": gradients, "named": {"scale": scale, "tolerance": tolerance}}
        got = _needed(student, expect, case)
        _told(expect, got, _truth(arrays, "float16", scale, tolerance), f"float16, scale {scale:g}")
    case = {"gradients": gradients, "dtype": "bfloat16"}
    _told(expect, _needed(student, expect, case), _truth(arrays, "bfloat16", 1.0, 0.01), "bfloat16")


@check("8.4.l", row="optimization_validity", level="pass")
def test_ends_of_the_half_formats(student, draw, expect):
    """Half of the smallest subnormal is lost, a hair more is not; so at the upper end."""
    small = np.array(
        [2.0**-25, np.nextafter(np.float32(2.0**-25), 1), 2.0**-24, 2.0**-26], np.float32
    )
    got = _needed(student, expect, {"gradients": {"w": small}})
    want = {
        "nonzero": 4,
        "underflow": 0.5,
        "overflow": 0.0,
        "needed": True,
        "largest_scale": 2.0**39,
    }
    _told(expect, got, want, "entries around the smallest float16")
    for top, best in ((65504.0, 1.0), (65505.0, 0.5), (32752.0, 2.0), (1.0, 32768.0), (4e5, 0.125)):
        got = _needed(student, expect, {"gradients": {"w": np.array([0.0, -top], np.float32)}})
        expect.equal(got["largest_scale"], best, what=f"largest_scale for a largest entry of {top}")
    got = _needed(
        student, expect, {"gradients": {"w": np.array([65519.0, 65520.0, 1.0, 1e9], np.float32)}}
    )
    expect.equal(got["overflow"], 0.5, what="overflow of 65519, 65520, 1 and 1e9 in float16")
    tiny = np.array([1e-40, 1e-30], np.float64)
    got = _needed(student, expect, {"gradients": {"w": tiny}, "dtype": "bfloat16"})
    expect.equal(
        got["underflow"], 0.0, what="underflow of 1e-40 and 1e-30 in bfloat16, with subnormals"
    )


@check("8.4.l", row="optimization_validity", level="pass")
def test_nothing_to_lose(student, expect):
    """Without a nonzero entry nothing is lost and any scale will do."""
    want = {
        "nonzero": 0,
        "underflow": 0.0,
        "overflow": 0.0,
        "needed": False,
        "largest_scale": math.inf,
    }
    for gradients, what in (
        ({}, "no gradient"),
        ({"w": None}, "a parameter without gradient"),
        ({"w": np.zeros(3, np.float32)}, "zeros"),
        ({"w": np.zeros((0, 2), np.float32)}, "no entry"),
    ):
        got = _needed(student, expect, {"gradients": gradients, "named": {"tolerance": 0.0}})
        _told(expect, got, want, what)
    case = {"gradients": {"w": np.ones(3, np.float32)}, "expanded": 1e-9}
    got = _needed(student, expect, case)
    expect.equal(
        [got["nonzero"], got["underflow"]], [8, 5 / 8], what="nonzero and underflow, expanded"
    )
    case = {"gradients": {"w": np.array([1.0, 1e-12], np.float32)}, "named": {"tolerance": 0.5}}
    got = _needed(student, expect, case)
    expect.equal(got["needed"], False, what="needed, with just the share that can be borne")


@check("8.4.l", row="optimization_validity", level="pass")
def test_gradients_that_say_nothing(student, draw, expect):
    """Gradients in a half, with NaN or infinity, and a dtype that is no half are refused."""
    fine = {"v": np.ones(4, np.float32)}
    cases = {
        "for gradients in float16": {"gradients": fine, "cast": "float16"},
        "for gradients in bfloat16": {"gradients": fine, "cast": "bfloat16"},
        "for a gradient with NaN": {"gradients": fine | {"w": np.array([1, math.nan], np.float32)}},
        "for an infinite gradient": {"gradients": {"w": np.array([math.inf], np.float32)} | fine},
        "for float32": {"gradients": fine, "dtype": "float32"},
    }
    for why, case in cases.items():
        seen = _run(student, expect, "needed", case)
        _raised(expect, seen, "ValueError", why, "needs_scaler")


@check("8.4.l", row="optimization_validity", level="strong")
def test_share_that_a_float16_run_loses(student, reference, draw, expect):
    """The share is what a float16 run really loses: nearly all without a scale, little with one."""
    for scale, low, high in ((1.0, 0.9, 1.0), (2.0**16, 0.0, 0.05)):
        case = {"seed": draw.integer(0, 999), "factor": 1e-7, "scale": scale}
        seen = student.run("lost_in_a_run", case)
        for part in ("all", "last"):
            expect.keys(seen[part], KEYS, what="the result")
        arrays = [np.asarray(a) for a in seen["true"].values()]
        want = _truth(arrays, "float16", scale, 0.01)
        _told(expect, seen["all"], want, f"true gradients of a small loss, scale {scale:g}")
        expect.between(seen["all"]["underflow"], low, high, what=f"underflow at scale {scale:g}")
        # the run rounds logits and their gradients, too: entries near the end may fall either way
        expect.close(
            seen["last"]["underflow"],
            seen["lost"],
            atol=0.1,
            what=f"underflow of the last layer at scale {scale:g}, against a run in float16",
        )


# 8.4.m check_amp_config


def _problems(student, expect, configurations):
    answers = _run(student, expect, "configured", {"configurations": configurations})
    expect.equal(len(answers), len(configurations), what="number of answers")
    found = []
    for answer in answers:
        value = _value(expect, answer, "check_amp_config")
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
    here = reference.run("machine", {})["accelerator"]
    absent = [kind for kind in ("cuda", "mps", "xpu") if kind != here]
    for device in absent:
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
    ]
    low = "low_precision_parameters"
    want = [[low], [low], [low], ["no_scaler", low], ["dtype_unsupported", low], [low], []]
    for got, true, one in zip(_problems(student, expect, cases), want, cases, strict=True):
        what = f"problems of a {one['half_dtype']} layer, autocast to {one['dtype']}"
        expect.equal(got, true, what=what)
