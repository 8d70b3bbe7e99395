"""Does not divide a sample by its calls."""

_plain = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    result = _plain(fn, clock, warmup, repeats, most)
    calls = result["calls"]
    scaled = [calls * sample for sample in result["samples"]]
    return {**result, "samples": scaled, "median": calls * result["median"]}
