"""Puts a setting back only if the function did not raise."""

_right_find = find_break


def find_break(fn, *args):
    limit = torch._dynamo.config.recompile_limit
    torch._dynamo.config.recompile_limit = 64
    found = _right_find(fn, *args)
    torch._dynamo.config.recompile_limit = limit
    return found
