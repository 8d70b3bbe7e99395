"""Drops the oldest entry when the cache is full, and goes on compiling.

check = "8.8.c/a_full_cache"
stage = "numpy"
says = "Behind the limit it went on compiling. The cache does not drop anything: what no entry fits runs eagerly."
also = ["8.8.c/what_torch_does"]
"""


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    log = _right(calls, dynamic, limit)
    for entry in log:
        if entry["action"] == "eager":
            entry["action"] = "compile"
    return log
