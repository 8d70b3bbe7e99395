"""Looks for NaN alone.

check = "8.5.h/the_infinity_before_the_nan"
stage = "torch"
says = "The output was inf before it was NaN. Looking for NaN alone blames the module behind."
also = ["8.5.h/fault_at_a_random_layer", "8.5.h/first_entry_however_it_lies", "8.5.h/tensors_inside_an_output", "8.5.h/allowed_masks_of_a_model", "8.5.h/cause_or_victim", "8.5.h/model_left_as_it_was", "8.5.h/models_without_a_fault", "8.5.i/infinite_slope_at_a_random_layer", "8.5.i/which_of_its_name", "8.5.i/sum_between_two_nodes", "8.5.i/large_graphs", "8.5.p/guard_fails_on_bad_values", "8.5.p/guard_sees_infinite_gradients", "8.5.p/guard_tells_fault_from_repair", "8.5.q/suspects_are_rejected_by_their_number", "8.5.q/cause_of_a_step"]
source = "huggingface/transformers#5651, huggingface/transformers#9487"
"""

_every_kind = _first_bad


def _first_bad(tensor, allow_masked=False):
    bad = _every_kind(tensor, allow_masked)
    if bad is None or not tensor.is_floating_point() or not tensor.isnan().any():
        return None
    return tuple(tensor.isnan().nonzero()[0].tolist()), "nan"
