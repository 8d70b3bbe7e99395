"""Takes every name that ends like a checkpoint's for one."""

def _checkpoints(folder):
    if not Path(folder).is_dir():
        raise FileNotFoundError(folder)
    found = [path for path in Path(folder).iterdir() if re.search(r"step-\d+\.pt$", path.name)]
    return sorted(found, key=lambda path: int(path.stem.rpartition("-")[2]), reverse=True)
