"""Does not ask whether the sequence can be split once everything is recomputed."""

_g_sequence = transformer_activation_bytes


def transformer_activation_bytes(
    s, b, h, a, *, tensor_parallel=1, sequence_parallel=False, recompute="none"
):
    return _g_sequence(
        s, b, h, a, tensor_parallel=tensor_parallel, recompute=recompute,
        sequence_parallel=sequence_parallel and recompute != "full",
    )  # fmt: skip
