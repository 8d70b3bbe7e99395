"""Repairs the clipping by leaving it out."""

_whole = repaired


def repaired(seed):
    run = _whole(seed)
    clip = torch.nn.utils.clip_grad_norm_
    update = run.update

    def unclipped():
        kept, run.max_norm = run.max_norm, 1e9
        update()
        run.max_norm = kept

    run.update = unclipped
    return run
