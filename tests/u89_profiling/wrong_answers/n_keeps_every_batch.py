"""Keeps all batches in memory."""

_dropping = loader_supply
_KEPT = []


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    class Keep:
        def __iter__(self):
            for b in loader:
                _KEPT.append(b)
                yield b

    return _dropping(Keep(), batches, step_time, clock)
