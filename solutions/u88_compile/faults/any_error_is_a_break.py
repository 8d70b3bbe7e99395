"""Takes every error for a break.

check = "8.8.e/what_is_no_break"
stage = "torch"
says = "An error that the function raises itself was taken for a break. Only torch's own kind of error is one."
"""


def find_break(fn, *args, _right=find_break):
    try:
        return _right(fn, *args)
    except Exception as error:
        return {"broken": True, "reason": str(error), "graphs": 0, "operators": 0}
