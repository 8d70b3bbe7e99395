"""Does not wait until the queue is empty before each timer.

check = "8.2.m/three_timers_from_memory"
stage = "torch"
says = "What the timer before left in the queue was still there. Start each timer from an empty queue."
also = [
  "8.2.m/the_sync_that_is_missed_is_named",
]
"""


def closed_book_timers(prepare, fn, clock):
    fn()
    fn()
    printed = {}
    for name in ("start_only", "end_only", "honest"):
        prepare()
        if name != "end_only":
            clock.synchronize()
        begin = clock.now()
        fn()
        if name != "start_only":
            clock.synchronize()
        printed[name] = clock.now() - begin
    without_end = abs(printed["start_only"] - printed["honest"])
    without_start = abs(printed["end_only"] - printed["honest"])
    missed = "start" if without_start > without_end else "end"
    return {**printed, "missed": missed, "sentence": f"The {missed} sync is missed more."}
