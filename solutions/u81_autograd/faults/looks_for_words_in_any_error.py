"""Looks for words in errors of any type.

check = "8.1.i/other_errors_pass_through"
stage = "torch"
says = "An error of another type was taken for one of autograd's because of its words. Autograd raises RuntimeError."
"""

_typed_diagnose_backward = diagnose_backward


def diagnose_backward(fn):
    def retold():
        try:
            return fn()
        except (ValueError, KeyError) as error:
            raise RuntimeError(str(error)) from None

    return _typed_diagnose_backward(retold)
