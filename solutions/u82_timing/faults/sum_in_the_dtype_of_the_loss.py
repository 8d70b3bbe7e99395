"""Adds the losses up in the dtype they come in.

check = "8.2.k/losses_of_every_dtype_and_kind"
stage = "torch"
says = "The sum was made in the dtype of the loss: float16 ends at 65504, and bfloat16 loses what is small beside the sum. Add up in float32."
"""


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, since, total = 0, 0, 0.0
    for batch in batches:
        loss = step(batch).detach()
        total = total + loss
        steps, since = steps + 1, since + 1
        if since == every:
            log(steps, (total / since).item())
            since, total = 0, 0.0
    if since:
        log(steps, (total / since).item())
    return steps
