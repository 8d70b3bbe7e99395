"""Everything a power loss may leave of a file that was never synchronised, by a model."""

from grader.instruments.crash_states import Moment, power_loss_states

OLD, NEW = b"old", b"newer"
moments = [
    Moment("start", {"run": 1}, {1: OLD}),
    Moment("write", {"run": 1, "temporary": 2}, {1: OLD, 2: NEW}),
    Moment("rename", {"run": 2}, {2: NEW}),
    Moment("fsync of the folder", {"run": 2}, {2: NEW}, ("",)),
]
after = [crash for crash in power_loss_states(moments) if crash.after == 3]
for content in sorted({crash.folder["run"] for crash in after}, key=len):
    print("after the save has returned the name may lead to", content)
