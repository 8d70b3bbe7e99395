"""A save that is killed after each of its calls: what the name leads to."""

import os
from pathlib import Path

CALLS = ("write", "fsync", "remove", "rename")
found = set()
for last in range(len(CALLS) + 1):
    Path("run").write_text("old")
    for call in CALLS[:last]:  # the kill comes behind these
        if call == "write":
            Path("temporary").write_text("new")
        elif call == "fsync":
            handle = os.open("temporary", os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        elif call == "remove":
            os.remove("run")
        else:
            os.rename("temporary", "run")
    held = Path("run").read_text() if Path("run").exists() else "no file"
    found.add(held)
    print(f"killed after {CALLS[last - 1] if last else 'nothing':8} the name leads to: {held}")
print("all that was found:", sorted(found))
