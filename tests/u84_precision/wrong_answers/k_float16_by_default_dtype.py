"""Leaves the dtype to autocast's default, which is bfloat16 on a CPU."""

_true = amp_step


def amp_step(*arguments, dtype=torch.float16, **named):
    if dtype == torch.float16 and arguments[2].is_enabled():
        dtype = torch.bfloat16
    return _true(*arguments, dtype=dtype, **named)
