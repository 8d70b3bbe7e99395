"""Takes asking for a length for a break.

check = "8.8.a/operations_in_order"
stage = "numpy"
says = "A length was taken for a break. Shapes are known while capturing; only values are not."
"""


class _Proxy(_Proxy):
    def __len__(self):
        self.tape.split("int")
        return len(self.array)
