"""Records modules (with_modules), which slows the step."""

_plain_profile = profile


def profile(**options):
    return _plain_profile(**{**options, "with_modules": True})
