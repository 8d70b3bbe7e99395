"""Keeps the results of activations as well.

check = "8.6.k/the_rest_is_run_again"
stage = "torch"
says = "Results of activations are alive after the forward. They are cheap to run again, and as large as what they were made from."
"""

_products_kept = _keep_products


def _activations_too(context, operation, *arguments, **named):
    if operation == torch.ops.aten.gelu.default:
        return CheckpointPolicy.MUST_SAVE
    return _products_kept(context, operation, *arguments, **named)


def selective(model, segments):
    return _Segments(model, segments, keep=_activations_too)
