"""Hardware FLOPs are three forwards plus recomputation, also when the first product's input needs no gradient."""

_from_model = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    s = _from_model(matmuls, attention_forward, recompute, first_input_needs_grad)
    return {**s, "hardware": 3 * s["forward"] + s["recomputed"]}
