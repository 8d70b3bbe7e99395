"""Writes proxies before numbers, whatever the order was.

check = "8.8.a/operations_in_order"
stage = "numpy"
says = "The operands are in another order: 2 - x is not x - 2. What is the order of the inputs that __array_ufunc__ gets?"
"""

class _Tape(_Tape):
    def record(self, op, operands, value):
        operands = sorted(operands, key=lambda item: not isinstance(item, _Proxy))
        return super().record(op, operands, value)
