"""Numbers and shapes come as NumPy scalars and tuples."""

class _Tape(_Tape):
    def record(self, op, operands, value):
        result = super().record(op, operands, value)
        entry = self.graphs[-1][-1]
        entry["inputs"] = tuple(
            np.float64(item) if isinstance(item, float) else item for item in entry["inputs"]
        )
        entry["shape"] = np.array(entry["shape"], dtype=np.int64)
        return result
