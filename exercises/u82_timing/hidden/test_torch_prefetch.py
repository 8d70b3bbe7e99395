"""Hidden checks of prefetch (8.2.l) on simulated streams, which know what is sure."""

from __future__ import annotations

from grader.checks import check

PLAIN = [[[50], "float32", False], [[20], "int64", False]]


def _case(draw, count, **more):
    return {"count": count, "tensors": PLAIN, "launch": 2, "link": 4, "compute": 200, **more}


def _changing(users):
    """Return words for a caller who does not stay with one stream."""
    return ", where the caller changes its stream between two batches" if len(users) > 1 else ""


def _prefetched(student, expect, case, words):
    seen = student.run("prefetched", case)
    expect.equal(len(seen["right"]), case["count"], what=f"batches that were yielded ({words})")
    return seen


@check("8.2.l", row="timing", level="pass")
def test_a_host_passes_batches_on(student, draw, expect):
    """Without an asynchronous device the batches themselves are passed on, none ahead of time."""
    for count in (0, 1, draw.integer(3, 6)):
        seen = student.run("passed_on", {"count": count})
        expect.equal(seen["same"], [True] * count, what="whether a batch is the one of the source")
        expect.equal(seen["ahead"], [0] * count, what="batches pulled ahead of time on a CPU")


@check("8.2.l", row="timing", level="pass")
def test_every_batch_arrives_whole(student, draw, expect):
    """All batches come in order, as tuples, with the values, shapes and dtypes of the host's."""
    odd = [
        [[3, 4], "float32", True], [[0, 5], "float32", False], [[1], "float16", False],
        [[], "float64", False], [[6], "bool", False],
    ]  # fmt: skip
    for count in (0, 1, 2, draw.integer(5, 8)):
        for tensors, tuples in ((PLAIN, True), (odd, False), ([], False)):
            case = _case(draw, count, tensors=tensors, tuples=tuples)
            words = f"{count} batches of {len(tensors)} tensors"
            seen = _prefetched(student, expect, case, words)
            want = [True] * count
            expect.equal(seen["right"], want, what=f"whether a batch is right ({words})")
            expect.equal(seen["kinds"], ["tuple"] * count, what=f"types of the batches ({words})")


@check("8.2.l", row="timing", level="pass")
def test_no_batch_is_used_before_it_has_arrived(student, draw, expect):
    """Work on a batch waits for its upload, also where it would have arrived by luck."""
    # the stream that is current when nobody chose one, one of the caller's, and several of them
    for link, users in ((1, [0]), (1000, [0]), (4, [1]), (1000, [0, 1]), (4, [1, 2, 1, 0])):
        case = _case(draw, draw.integer(4, 7), link=link, users=users)
        seen = _prefetched(student, expect, case, "computing with each batch")
        late = any("did not wait" in hazard for hazard in seen["hazards"])
        note = "A batch was used by work that does not wait for its upload"
        expect.that(not late, f"{note}{_changing(users)}.")


@check("8.2.l", row="timing", level="pass")
def test_no_memory_is_written_while_it_is_read(student, draw, expect):
    """Memory of a batch that Python dropped is not given to an upload while work still reads it."""
    for users in ([0], [1], [0, 1], [1, 0]):
        case = _case(draw, draw.integer(6, 9), compute=draw.integer(900, 2000), users=users)
        if len(users) > 1:  # a stream that is idle then holds no memory back for the next one
            case["read"] = [0]
        seen = _prefetched(student, expect, case, "slow computation")
        early = any("memory" in hazard for hazard in seen["hazards"])
        note = "An upload was given memory that queued work may still be reading"
        expect.that(not early, f"{note}{_changing(users)}.")


@check("8.2.l", row="timing", level="pass")
def test_uploads_run_beside_the_computation(student, draw, expect):
    """One batch is under way while another is in use: uploads hide, and the host never waits."""
    count, each = draw.integer(5, 8), [[[400], "float32", False]]
    for compute, link in ((draw.integer(300, 500), 16), (draw.integer(30, 60), 4)):
        case = _case(draw, count, tensors=each, compute=compute, link=link)
        seen = _prefetched(student, expect, case, "one tensor a batch")
        expect.equal(seen["waits"], 0, what="times the host waited for the device")
        ahead = [1] * (count - 1) + [0]
        expect.equal(seen["ahead"], ahead, what="batches pulled ahead when one is handed out")
        uploads = [min(i + 2, count) for i in range(count)]
        expect.equal(seen["uploads"], uploads, what="uploads started when a batch is handed out")
        streams = seen["copy streams"]
        expect.equal(streams, 1, what="streams in which uploads were made, which one stream does")
        longest, first = max(compute, 1600 // link), min(compute, 1600 // link)
        # launches and the wait at the end, by which two right orders may differ
        slack = 2 * case["launch"] * (count + 1) + 1
        bound = first + count * longest + slack
        expect.that(seen["total"] <= bound, "The uploads do not run beside the computation: each "
                    "batch waits for more than its own upload.", seen["total"])  # fmt: skip


@check("8.2.l", row="timing", level="pass")
def test_the_current_stream_stays_the_callers(student, draw, expect):
    """Where a batch is handed out, work goes into the stream that the caller had chosen."""
    for users in ([0], [1], [1, 0, 2]):
        case = _case(draw, draw.integer(3, 5), users=users)
        seen = _prefetched(student, expect, case, "looking at the current stream")
        want = [True] * case["count"]
        expect.equal(seen["stream"], want, what="whether the current stream is the caller's")
