"""Does nothing about buffers.

check = "8.6.h/statistics_move_once"
stage = "torch"
says = "Buffers moved twice in one step: once in the forward, once when the segment was run again. Output, loss and gradients look right; in evaluation mode the model is wrong."
source = "pytorch/pytorch#96136"
# the same result is looked at there
also = [
  "8.6.h/the_second_run_reads_what_the_first_read",
  "8.6.h/autocast_and_evaluation",
]
"""


class _Twice(_Segments):
    def _contexts(self, part):
        return nullcontext(), nullcontext()


def checkpointed(model, segments):
    return _Twice(model, segments)
