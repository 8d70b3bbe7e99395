"""Takes every name that begins like a checkpoint's for one."""

def _checkpoints(folder):
    found = [path for path in Path(folder).iterdir() if re.match(r"step-\d+\.pt", path.name)]
    return sorted(found, key=lambda path: int(path.name[5:].partition(".")[0]), reverse=True)
