"""Names the last suspect with a number.

check = "8.5.q/cause_of_a_step"
stage = "torch"
says = "What comes after the first suspect with a number may be its victims. The cause is the first."
also = ["8.5.q/suspects_are_rejected_by_their_number", "8.5.q/buffers_are_suspects", "8.5.q/step_left_as_it_was", "8.5.q/every_call_counts"]
"""


def post_mortem(model, batch, loss_fn):
    x, y = batch
    stored = dict(model.named_parameters()) | dict(model.named_buffers())
    bad = {name: count for name, count in nonfinite_counts(stored).items() if count}
    numbers = {"input": nonfinite_counts({"x": x})["x"], "weights": sum(bad.values()), "forward": 0}
    first = first_bad_forward(model, (x,))

    def count(module, args, output):
        numbers["forward"] += int((~output.isfinite()).sum())

    gradients = [(parameter, parameter.grad) for parameter in model.parameters()]
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    rng = torch.get_rng_state()
    leaves = [m for m in model.modules() if not list(m.children())]
    hooks = [leaf.register_forward_hook(count) for leaf in leaves]
    for parameter in model.parameters():
        parameter.grad = None
    try:
        with torch.enable_grad():
            loss = loss_fn(model(x), y)
            numbers["loss"] = int(not bool(loss.isfinite()))
            node = first_bad_backward(loss)
        found = nonfinite_counts({name: p.grad for name, p in model.named_parameters()})
        numbers["backward"] = sum(count or 0 for count in found.values())
    finally:
        for hook in hooks:
            hook.remove()
        for parameter, gradient in gradients:
            parameter.grad = gradient
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
    cause = next((name for name, number in reversed(numbers.items()) if number), None)
    places = {
        "input": "x",
        "weights": next(iter(bad), ""),
        "forward": first["module"] if first else "",
        "loss": "loss",
        "backward": node["node"] if node else "",
        None: "",
    }
    suspects = list(numbers)
    rejected = suspects if cause is None else suspects[: suspects.index(cause)]
    return {"cause": cause, "place": places[cause], "rejected": rejected, "numbers": numbers}
