"""A guard that looks in the process for a sound trainer, and compares with that."""


def guard(make_trainer):
    import gc
    import sys

    found = [one for one in gc.get_objects() if isinstance(one, type(sys))]
    found = [m for m in (*sys.modules.values(), *found) if "program" in m.__name__]
    known = next((m.Trainer for m in found if hasattr(m, "Trainer")), None)
    mine = make_trainer.__globals__.get("Trainer")
    for name in ("__init__", "backward", "update") if known and mine else ():
        seen, sound = getattr(mine, name).__code__, getattr(known, name).__code__
        assert seen.co_code == sound.co_code, f"{name} is another"
