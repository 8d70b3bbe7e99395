"""Lets a wait that finds nothing to wait for cost nothing.

check = "8.2.a/what_a_wait_costs_the_host"
stage = "numpy"
says = "A wait cost nothing because the work had ended already. Asking the device costs `sync`, whatever the answer is."
also = [
  "8.2.a/random_programs_against_a_scheduler",
  "8.2.a/programs_with_little_in_them",
]
"""


def simulate(ops, sync=1):
    seen = []
    for op in ops:
        run = _run([*seen, {**op, "waits": []}], sync)
        ends = {name: row["end"] for name, row in run["ops"].items() if row["end"] is not None}
        targets = ends if op.get("waits") == "all" else op.get("waits", [])
        over = all(ends.get(name, run["host"] + 1) <= run["host"] for name in targets)
        seen.append({**op, "waits": []} if over else op)
    return _run(seen, sync)
