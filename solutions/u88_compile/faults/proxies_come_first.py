"""Writes proxies before numbers, whatever the order was.

check = "8.8.a/operations_in_order"
stage = "numpy"
says = "The operands are in another order: 2 - x is not x - 2. What is the order of the inputs that __array_ufunc__ gets?"
also = ["8.8.a/a_value_splits_the_graph"]
"""


class _Tape(_Tape):
    def record(self, op, operands, value):
        operands = sorted(operands, key=lambda item: not isinstance(item, _Proxy))
        return super().record(op, operands, value)
