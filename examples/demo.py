"""Grade a sample submission for unit 8.9 that is right but for one realistic mistake.

The sample is the solution with the batch fetched inside the forward range, the mistake of many a
first profile. It is made in a temporary folder, its predictions are sealed, and it is graded as a
student would.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.course.catalog import find_unit, units
from grader.course.content import installed_content
from grader.course.faults import load_faults, write_stages

UNIT = "8.9"
MISTAKE = "fetches_in_the_forward"
SHEETS = ("prediction.toml", "discrepancy.toml", "selftest.toml")


def make_sample(target: Path) -> None:
    """Write the sample submission into `target`."""
    content = installed_content()
    unit = find_unit(UNIT, units(content))
    mistake = next(f for f in load_faults(unit, content.solutions) if f.id == MISTAKE)
    write_stages(unit, content.solutions, target / unit.folder, mistake)
    for name in SHEETS:
        shutil.copy(content.solutions / unit.folder / name, target / unit.folder / name)


def main() -> int:
    """Make the sample, seal its predictions, grade it and show the report."""
    grade = [sys.executable, "-m", "grader"]
    with tempfile.TemporaryDirectory(prefix="torch-evidence-demo-") as folder:
        make_sample(Path(folder))
        for words in (["predict", UNIT], ["unit", UNIT, "--hints", "1"]):
            print(f"\n$ grade {' '.join(words)}", flush=True)
            status = subprocess.run([*grade, *words], cwd=folder, check=False).returncode
    # 1 says that something is not met, which is what the sample is for.
    return 0 if status == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
