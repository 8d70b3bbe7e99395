"""Hidden checks of unit 8.3, NumPy stage: sizes with units, blocks and segments (8.3.a to c)."""

from __future__ import annotations

from fractions import Fraction

from grader.checks import check
from grader.checks.many import refusals
from grader.checks.numbers import is_count

from .counts import as_any_integers, as_numpy, no_counts, values

KIB, MIB = 2**10, 2**20
POWERS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}  # fmt: skip

# 8.3.a to_bytes


@check("8.3.a", row="prediction", level="pass")
def test_powers_of_1000_and_of_1024(student, draw, expect):
    """A size with a unit becomes its bytes: kB to TB by powers of 1000, KiB to TiB of 1024."""
    cases = []
    for unit, power in POWERS.items():
        n = draw.integer(2, 900)
        cases.append((f"{n} {unit}", n * power))
    n = draw.integer(10, 99)
    cases += [(f"{n}MiB", n * MIB), (f"  {n}.5 KiB ", n * KIB + 512), (f"{n}e3 kB", n * 10**6),
              (f"{n}.25 MB", n * 10**6 + 250_000), ("0 GB", 0), (n * 1000 + 7, n * 1000 + 7),
              (0, 0)]  # fmt: skip
    # both letters of an exponent, with and without a sign
    cases += [(f"{n}E3 kB", n * 10**6), (f"{n}e-3 MB", n * 1000), (f"{n}E-1 kB", n * 100),
              (f"{n}e+2B", n * 100), (f"{n}.5E+1 MiB", n * 10 * MIB + 5 * MIB)]  # fmt: skip
    _sizes(student, expect, cases)
    for words, (got,) in as_numpy(student, expect, "to_bytes", [[[n], {}]]):
        expect.equal(got, n, what=f"to_bytes of {words}", unit="B")


def _sizes(student, expect, cases):
    """Hold sizes against their bytes, and return what was given."""
    got = values(student, expect, "to_bytes", [[[text], {}] for text, _ in cases])
    for (text, want), value in zip(cases, got, strict=True):
        if want > 2**53:  # the last digits would not be shown
            expect.that(value == want, f"to_bytes({text!r}) must be {want}.", str(value))
        expect.equal(value, want, what=f"to_bytes({text!r})", unit="B")
    return got


@check("8.3.a", row="prediction", level="pass")
def test_every_digit_counts(student, draw, expect):
    """No digit of a long number is lost, and a fraction of a byte is rounded to the nearest."""
    exact = 2**53 + 2 * draw.integer(1, 10**6) + 1
    cases = [(f"{exact} B", exact), (f"{exact}000 kB", exact * 10**6), (exact, exact)]
    for _ in range(6):
        number = f"{draw.integer(0, 999)}.{draw.integer(0, 999):03}1"
        bytes_ = Fraction(number) * MIB
        if abs(bytes_ % 1 - Fraction(1, 2)) > Fraction(1, 100):
            cases.append((f"{number} MiB", round(bytes_)))
    # 40 digits, which doubles and Decimal's 28 cut; the last one says on which side of a half
    long, even = 10**39 + 2 * draw.integer(1, 10**6) + 1, 2 * draw.integer(1, 40)
    cases += [(f"{long} B", long), (f"{long} KiB", long * KIB), (f"{long}e-36 kB", 10**6),
              (f"{even}.5{'0' * 40}1 B", even + 1), (f"{even}.4{'9' * 40} B", even)]  # fmt: skip
    for value in _sizes(student, expect, cases):
        expect.that(is_count(value), "A size must come out as an int.", value)


@check("8.3.a", row="prediction", level="pass")
def test_what_is_no_size(student, draw, expect):
    """A size without a unit, with an unknown one or below zero is refused."""
    n = draw.integer(2, 99)
    texts = [f"{n}", f"{n} KB", f"{n} Mb", f"{n} mib", f"-{n} B", f"{n} MiB/s", "MiB", "", "nan B",
             "inf B", f"{n} {n} B", f"{n} MB GB"]  # fmt: skip
    refusals(student, expect, "to_bytes", [(f"for {text!r}", [text], {}) for text in texts])
    refusals(student, expect, "to_bytes", no_counts(([n], {}), {"a size": (0,)}))


# 8.3.b and c: blocks and segments

VECTORS = [(0, 0, 0), (1, 512, 2), (511, 512, 2), (512, 512, 2), (513, 1024, 2),
           (4000, 4096, 2), (MIB - 1, MIB, 2), (MIB, MIB, 2), (MIB + 1, MIB + 512, 20),
           (10 * MIB - 513, 10 * MIB - 512, 20), (10 * MIB - 512, 10 * MIB - 512, 20),
           (10 * MIB - 1, 10 * MIB, 10), (10 * MIB, 10 * MIB, 10),
           (10 * MIB + 1, 10 * MIB + 512, 12), (12 * MIB + 1, 12 * MIB + 512, 14),
           (64 * MIB, 64 * MIB, 64)]  # fmt: skip


@check("8.3.b", row="prediction", level="pass")
def test_blocks_of_512(student, draw, expect):
    """A request becomes the next multiple of 512 bytes, and nothing stays nothing."""
    cases = [(n, block) for n, block, _ in VECTORS]
    for _ in range(8):
        blocks, over = draw.integer(1, 10**6), draw.integer(1, 512)
        cases.append(((blocks - 1) * 512 + over, blocks * 512))
    cases.append((2**60 + 1, 2**60 + 512))
    _rounded(student, expect, "round_size", cases)


def _rounded(student, expect, function, cases):
    """Hold what requests become against the truth, for Python's integers and NumPy's."""
    calls = [[[n], {}] for n, _ in cases]
    for words, got in as_any_integers(student, expect, function, calls):
        for (n, want), value in zip(cases, got, strict=True):
            expect.equal(value, want, what=f"{function}({n}), from {words}", unit="B")


@check("8.3.b", row="prediction", level="pass")
def test_no_half_bytes(student, draw, expect):
    """What is no count of bytes has no block."""
    refusals(student, expect, "round_size", no_counts(([512], {}), {"a request": (0,)}))


@check("8.3.c", row="prediction", level="pass")
def test_the_rounded_request_decides(student, draw, expect):
    """Segments have 2 MiB, 20 MiB or a multiple of 2 MiB, by the size after rounding."""
    cases = [(n, size * MIB) for n, _, size in VECTORS]
    for _ in range(4):
        cases.append((draw.integer(1, MIB), 2 * MIB))
        cases.append((draw.integer(MIB + 1, 10 * MIB - 512), 20 * MIB))
        steps = draw.integer(6, 500)
        cases.append((steps * 2 * MIB - draw.integer(0, 2 * MIB - 512), steps * 2 * MIB))
    _rounded(student, expect, "segment_size", cases)


@check("8.3.c", row="prediction", level="pass")
def test_no_segment_for_no_count(student, draw, expect):
    """What is no count of bytes has no segment."""
    odd = [*no_counts(([512], {}), {"a request": (0,)}), ("for text", ["1 MiB"], {})]
    refusals(student, expect, "segment_size", odd)
