"""Keeps buffers still in the forward and lets the second run move them.

check = "8.6.h/statistics_move_once"
stage = "torch"
says = "After a forward the buffers are as they were before it: they move only when a segment is run again. A forward without a backward, as in calibration, never updates them."
source = "facebookresearch/fairscale#1035"
also = ["8.6.h/the_second_run_reads_what_the_first_read"]
"""


class _Late(_Segments):
    def forward(self, x):
        if not torch.is_grad_enabled():
            return super().forward(x)
        for part in self.parts:
            x = checkpoint(
                part,
                x,
                use_reentrant=False,
                context_fn=lambda part=part: (_BuffersAsTheyWere(part), nullcontext()),
            )
        return x


def checkpointed(model, segments):
    return _Late(model, segments)
