"""Hidden checks of unit 8.3, NumPy stage: the caching allocator, 8.3.d.

Closed forms where the rules give one; any sequence of requests against a model by addresses.
"""

from __future__ import annotations

from grader.checks import check
from grader.instruments.caching_allocator import AllocatorModel, OutOfMemory, replay

from .counts import NO_COUNTS

KIB, MIB = 2**10, 2**20
STATS = ("requested", "allocated", "reserved", "inactive_split", "largest_free",
         "peak_allocated", "peak_reserved")  # fmt: skip


def _run(student, expect, operations, capacity=None, *, numpy=False):
    """Run operations; return the stats after each, as dicts, and what each raised."""
    made_with = [] if capacity is None else [capacity]
    case = {"operations": operations, "made_with": made_with, "numpy": numpy}
    seen = student.run("replayed", case)
    if seen["odd"] is not None:
        odd = seen["odd"]
        expect.keys(dict.fromkeys(odd) if isinstance(odd, list) else odd, STATS, what="the stats")
    fresh = seen["first_kept"]
    expect.that(fresh, "A dict that stats() returned has changed later: return a new one.")
    rows = zip(*(seen["columns"][key] for key in STATS), strict=True)
    return [dict(zip(STATS, row, strict=True)) for row in rows], seen["raised"], seen["handles"]


def _last(student, expect, operations, capacity=None, *, numpy=False):
    """Return the stats after operations of which none may fail."""
    stats, raised, _ = _run(student, expect, operations, capacity, numpy=numpy)
    for operation, kinds in zip(operations, raised, strict=True):
        expect.that(not kinds, f"{operation[0]} raised {(kinds or [''])[0]}.", operation)
    return stats[-1]


def _mallocs(*sizes):
    return [["malloc", size] for size in sizes]


def _held(expect, stats, what, **want):
    got = {name: stats[name] for name in want}
    expect.equal(got, want, what=what, unit="B")


@check("8.3.d", row="prediction", level="pass")
def test_requested_allocated_reserved(student, draw, expect):
    """Requests are rounded into blocks, blocks share segments, and nothing takes nothing."""
    n = draw.integer(60, 240)
    stats = _last(student, expect, _mallocs(*[4] * n))
    _held(expect, stats, f"{n} requests of 4 B", requested=4 * n, allocated=512 * n,
          reserved=2 * MIB, largest_free=2 * MIB - 512 * n)  # fmt: skip
    # 31 blocks of 64.5 KiB go into a segment of 2 MiB
    stats = _last(student, expect, _mallocs(*[64 * KIB + n] * 32))
    _held(expect, stats, f"32 requests of {64 * KIB + n} B", reserved=4 * MIB,
          allocated=32 * (64 * KIB + 512))  # fmt: skip
    stats = _last(student, expect, _mallocs(*[n] * 9, 3 * MIB + n), 64 * MIB, numpy=True)
    _held(expect, stats, "requests in narrow integers of NumPy", requested=3 * MIB + 10 * n,
          allocated=3 * MIB + 10 * 512, reserved=22 * MIB)  # fmt: skip
    stats = _last(student, expect, [["malloc", 0], ["free", 0], ["malloc", 0]])
    _held(expect, stats, "empty tensors", **dict.fromkeys(STATS, 0))


@check("8.3.d", row="prediction", level="pass")
def test_blocks_are_split(student, draw, expect):
    """A block is cut if 512 B (small) or more than 1 MiB (large) stay over, and not otherwise."""
    n = draw.integer(2, 8)
    stats = _last(student, expect, _mallocs(n * MIB + 5))
    used = n * MIB + 512
    _held(expect, stats, "a large block that is cut", allocated=used,
          largest_free=20 * MIB - used, inactive_split=20 * MIB - used)  # fmt: skip
    for left in (512, MIB, MIB + 512):
        size = 12 * MIB - left
        stats = _last(student, expect, _mallocs(size))
        cut = left > MIB
        _held(expect, stats, f"a large block of which {left} B stay over",
              requested=size, allocated=size if cut else 12 * MIB,
              largest_free=left if cut else 0)  # fmt: skip
    stats = _last(student, expect, _mallocs(MIB, MIB - 512))
    _held(expect, stats, "a small block of which 512 B stay over",
          allocated=2 * MIB - 512, largest_free=512)  # fmt: skip


@check("8.3.d", row="prediction", level="pass")
def test_free_neighbours_are_joined(student, draw, expect):
    """Freed blocks are joined with free neighbours on both sides, in whatever order they go."""
    sizes = [draw.integer(2, 4) * MIB for _ in range(4)]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], draw.shuffled([0, 1, 2, 3])):
        frees = [["free", k] for k in order]
        stats = _last(student, expect, [*_mallocs(*sizes), *frees])
        _held(expect, stats, f"four blocks, freed in the order {order}", allocated=0,
              reserved=20 * MIB, largest_free=20 * MIB, inactive_split=0)  # fmt: skip
    stats = _last(student, expect, [*_mallocs(*sizes), ["free", 1], ["free", 2],
                                    ["malloc", sizes[1] + sizes[2]]])  # fmt: skip
    _held(expect, stats, "a request as large as two freed neighbours", allocated=sum(sizes),
          reserved=20 * MIB)  # fmt: skip


@check("8.3.d", row="prediction", level="pass")
def test_fragments_do_not_serve(student, draw, expect):
    """Free bytes between living blocks serve nothing that is larger than each of them."""
    n = draw.choice([3, 4, 5])
    begin = [*_mallocs(*[n * MIB] * 4), ["free", 0], ["free", 2]]
    stats = _last(student, expect, begin)
    rest = 20 * MIB - 4 * n * MIB
    joined = n * MIB
    _held(expect, stats, "two freed blocks between living ones", allocated=2 * n * MIB,
          reserved=20 * MIB, inactive_split=2 * n * MIB + rest,
          largest_free=max(joined, rest))  # fmt: skip
    stats = _last(student, expect, [*begin, ["malloc", 9 * MIB]])
    _held(expect, stats, "a request larger than each gap", reserved=40 * MIB,
          allocated=(2 * n + 9) * MIB)  # fmt: skip


@check("8.3.d", row="prediction", level="pass")
def test_the_best_fit(student, draw, expect):
    """The smallest free block that is large enough is taken, wherever it lies."""
    small = draw.integer(2, 3)
    # gaps of 5 MiB and of `small` MiB between living blocks, and the rest of the segment
    begin = [*_mallocs(5 * MIB, 2 * MIB, small * MIB, 2 * MIB), ["free", 0], ["free", 2]]
    stats = _last(student, expect, [*begin, ["malloc", small * MIB]])
    rest = 20 * MIB - (9 + small) * MIB
    _held(expect, stats, "a request that fits a gap exactly", largest_free=max(rest, 5 * MIB),
          inactive_split=5 * MIB + rest)  # fmt: skip
    stats = _last(student, expect, [*begin, ["malloc", small * MIB], ["malloc", 5 * MIB],
                                    ["malloc", rest]])  # fmt: skip
    _held(expect, stats, "requests that fill each gap", reserved=20 * MIB, allocated=20 * MIB,
          largest_free=0)  # fmt: skip
    # two equal gaps: the older one is taken, so that the younger joins with its neighbour
    begin = [*_mallocs(3 * MIB, 2 * MIB, 3 * MIB, 2 * MIB), ["free", 0], ["free", 2]]
    stats = _last(student, expect, [*begin, ["malloc", 3 * MIB], ["free", 3]])
    _held(expect, stats, "the first of two equal gaps", largest_free=15 * MIB)


@check("8.3.d", row="prediction", level="pass")
def test_small_and_large_kept_apart(student, draw, expect):
    """Small requests never use a large segment, nor large ones a small segment."""
    n = draw.integer(2, 7)
    stats = _last(student, expect, [["malloc", n * MIB], ["malloc", 4 * KIB]])
    _held(expect, stats, "a large and a small request", reserved=22 * MIB)
    stats = _last(student, expect, [["malloc", MIB], ["free", 0], ["malloc", MIB + 1]])
    _held(expect, stats, "a request of 1 MiB and 1 B beside 2 MiB free", reserved=22 * MIB)
    stats = _last(student, expect, [["malloc", n * MIB], ["free", 0], ["malloc", MIB]])
    _held(expect, stats, "a request of 1 MiB beside 20 MiB free", reserved=22 * MIB)


@check("8.3.d", row="prediction", level="pass")
def test_empty_cache_returns_whole_segments(student, draw, expect):
    """empty_cache returns segments without a living block, and changes nothing else."""
    n = draw.integer(11, 40)
    begin = [*_mallocs(n * MIB, 6 * MIB, 6 * MIB, 100, 200), ["free", 0], ["free", 1],
             ["free", 3], ["free", 4]]  # fmt: skip
    whole = 2 * -(-n // 2) * MIB
    stats = _last(student, expect, begin)
    _held(expect, stats, "four of five blocks freed", reserved=whole + 22 * MIB,
          allocated=6 * MIB, inactive_split=14 * MIB)  # fmt: skip
    stats = _last(student, expect, [*begin, ["empty_cache"]])
    _held(expect, stats, "after empty_cache", reserved=20 * MIB, allocated=6 * MIB,
          requested=6 * MIB, inactive_split=14 * MIB,
          peak_reserved=whole + 22 * MIB)  # fmt: skip
    stats = _last(student, expect, [*begin, ["empty_cache"], ["empty_cache"], ["free", 2],
                                    ["empty_cache"], ["empty_cache"]])  # fmt: skip
    _held(expect, stats, "after everything has gone", reserved=0, allocated=0, largest_free=0)


@check("8.3.d", row="prediction", level="pass")
def test_peaks_since_the_reset(student, draw, expect):
    """A reset lets the peaks begin at what is there now: not at zero, not at the old peak."""
    n, more = draw.integer(2, 4), draw.integer(5, 8)
    begin = [["malloc", n * MIB], ["malloc", 9 * MIB], ["free", 1]]
    stats = _last(student, expect, begin)
    _held(expect, stats, "a peak that has passed", peak_allocated=(n + 9) * MIB)
    stats = _last(student, expect, [*begin, ["reset_peak"]])
    _held(expect, stats, "right after reset_peak", peak_allocated=n * MIB,
          peak_reserved=20 * MIB)  # fmt: skip
    later = [*begin, ["reset_peak"], ["malloc", more * MIB], ["free", 2]]
    stats = _last(student, expect, later)
    _held(expect, stats, "a smaller peak after a reset", allocated=n * MIB,
          peak_allocated=(n + more) * MIB)  # fmt: skip
    stats = _last(student, expect, [["malloc", 30 * MIB], ["free", 0], ["empty_cache"],
                                    ["reset_peak"]])  # fmt: skip
    _held(expect, stats, "a reset when all has gone", peak_reserved=0, peak_allocated=0)


@check("8.3.d", row="prediction", level="strong")
def test_out_of_memory(student, draw, expect):
    """At the limit cached segments go back first; if that is not enough, MemoryError is raised."""
    n = draw.integer(31, 40) * 2
    cached = [["malloc", n * MIB], ["free", 0]]
    stats = _last(student, expect, [*cached, ["malloc", (n + 2) * MIB]], (n + 2) * MIB)
    _held(expect, stats, "a request that needs the cache to go", reserved=(n + 2) * MIB,
          peak_reserved=(n + 2) * MIB)  # fmt: skip
    more = draw.integer(11, 14) * 2
    cached = [*_mallocs(30 * MIB, more * MIB), ["free", 0], ["free", 1]]
    stats = _last(student, expect, [*cached, ["malloc", more * MIB]], 60 * MIB)
    _held(expect, stats, "a request that fits a cached block at the limit", allocated=more * MIB,
          reserved=(30 + more) * MIB)  # fmt: skip
    # a living block pins its segment: 14 MiB are free, and 20 MiB do not fit
    pinned = [*_mallocs(6 * MIB, 6 * MIB, 30 * MIB), ["free", 0], ["free", 2]]
    operations = [*pinned, ["malloc", n * MIB], ["malloc", 4 * MIB]]
    stats, raised, _ = _run(student, expect, operations, 60 * MIB)
    failed = "MemoryError" in raised[-2]
    expect.that(failed, "A request that does not fit must raise MemoryError.",
                None if failed else (raised[-2] or ["no error"])[0])  # fmt: skip
    _held(expect, stats[-2], "after a request that failed", requested=6 * MIB,
          allocated=6 * MIB, reserved=20 * MIB)  # fmt: skip
    expect.that(not raised[-1], "A request that fits was refused after one that did not.")
    _held(expect, stats[-1], "a request after one that failed", allocated=10 * MIB,
          reserved=20 * MIB)  # fmt: skip
    stats = _last(student, expect, _mallocs(6 * MIB, MIB), 22 * MIB)
    _held(expect, stats, "requests that fill the limit to the last byte", reserved=22 * MIB)


@check("8.3.d", row="prediction", level="pass")
def test_handles_and_counts(student, draw, expect):
    """Each request has a handle of its own; what is no living handle or no count is refused."""
    n = draw.integer(2, 30)
    odd = [["malloc", size] for size in NO_COUNTS]
    odd += [["free_raw", 10**9], ["free", 0], ["free", 0]]
    operations = [*_mallocs(*[700] * n, 0), *odd, ["free", n]]
    stats, raised, handles = _run(student, expect, operations)
    distinct = len({repr(handle) for handle in handles[: n + 1]})
    expect.equal(distinct, n + 1, what="different handles")
    whats = [*(f"a request of {size!r}" for size in NO_COUNTS), "a handle that is unknown", "",
             "a handle that was freed before"]  # fmt: skip
    for what, kinds in zip(whats, raised[n + 1 : -1], strict=True):
        if what:
            fine = "ValueError" in kinds
            expect.that(fine, f"{what} must raise ValueError.", None if fine else kinds[:1])
    expect.that(not raised[-3], "A living handle could not be freed.")
    expect.that(not raised[-1], "The handle of an empty tensor could not be freed.")
    _held(expect, stats[-1], "after calls that were refused", requested=700 * (n - 1),
          allocated=1024 * (n - 1))  # fmt: skip
    _, _, reused = _run(student, expect, [["malloc", 5], ["free", 0], ["malloc", 5]])
    fine = repr(reused[0]) != repr(reused[1])
    expect.that(fine, "A handle that was freed has been given to another request.")
    for odd in (*NO_COUNTS, 2.0 * MIB):
        if odd is None:  # no limit
            continue
        answer = student.attempt("replayed", {"operations": [], "made_with": [odd]})
        fine = bool(answer.error) and answer.error.type == "ValueError"
        expect.that(fine, f"A limit of {odd!r} must raise ValueError.")
    _, raised, _ = _run(student, expect, [["malloc", 5]], 2 * MIB)
    expect.that(not raised[0], "A limit that is just enough is in the way.")


@check("8.3.d", row="prediction", level="strong")
def test_any_sequence_of_requests(student, draw, expect):
    """For any sequence of requests all stats are those of a model that works by addresses."""
    for limit in (None, draw.integer(40, 80) * MIB):
        operations = _sequence(draw, 120, limit)
        want = replay(operations, limit)
        stats, raised, _ = _run(student, expect, operations, limit)
        for number, (got, true) in enumerate(zip(stats, want, strict=True)):
            fails, what = bool(true.get("failed")), f"operation {number}, {operations[number][0]}"
            expect.equal(bool(raised[number]), fails, what=f"whether {what}, fails")
            held = {name: true[name] for name in STATS}
            expect.equal(got, held, what=f"stats after {what}, of many", unit="B")
            both = got["requested"] <= got["allocated"] <= got["reserved"]
            expect.that(both, "More is requested than allocated, or allocated than reserved.")


def _sequence(draw, count, limit):
    """Return random operations on blocks that are alive."""
    operations, alive, handles, model = [], [], [], AllocatorModel(limit)
    for _ in range(count):
        kind = draw.integer(0, 99)
        if kind < 55 or not alive:
            size = draw.choice([
                draw.integer(1, 4000), draw.integer(1, MIB), draw.integer(MIB, 10 * MIB),
                draw.integer(MIB, 6 * MIB), draw.integer(10 * MIB, 24 * MIB), MIB, 0,
            ])  # fmt: skip
            operations.append(["malloc", size])
            try:
                handles.append(model.malloc(size))
                alive.append(len(handles) - 1)
            except OutOfMemory:
                handles.append(None)
        elif kind < 94:
            number = alive.pop(draw.integer(0, len(alive) - 1))
            operations.append(["free", number])
            model.free(handles[number])
        elif kind < 97:
            operations.append(["empty_cache"])
            model.empty_cache()
        else:
            operations.append(["reset_peak"])
    return operations


@check("8.3.d", row="prediction", level="strong", device="cuda")
def test_the_device_counts_the_same(student, reference, draw, expect):
    """On a CUDA device the real allocator counts what yours does, after each of many requests."""
    operations = _sequence(draw, 80, None)
    operations = [one for one in operations if one[0] != "reset_peak"]
    real = reference.run("device_counts", {"operations": operations}, stage="torch")
    if any(real["begin"]):
        expect.inconclusive("something was allocated on the device before the first request")
    stats, _, _ = _run(student, expect, operations)
    for name, column in real["columns"].items():
        got = [one[name] for one in stats]
        expect.equal(got, column, what=f"{name} after each request", unit="B")
