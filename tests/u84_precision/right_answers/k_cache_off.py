"""Switches autocast's cache of weight copies off."""

_autocast = torch.autocast
_true = amp_step


def amp_step(*arguments, **named):
    torch.autocast = lambda *a, **k: _autocast(*a, cache_enabled=False, **k)
    try:
        return _true(*arguments, **named)
    finally:
        torch.autocast = _autocast
